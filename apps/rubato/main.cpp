#include <cstdio>

int main() {
  std::puts("rubato 0.1.0");
  return 0;
}
