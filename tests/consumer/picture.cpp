// The component io of the installed package: a run file is read, a picture is drawn.
#include <cstdio>

#include "rubato/io/run_file.hpp"
#include "rubato/io/svg_plot.hpp"

int main() {
  const auto config = rubato::io::parse_run_file("[problem]\nname = \"pendulum\"\n[solver]\nrtol = -1\n", "run.toml");
  if (config) return 1;  // a negative tolerance
  const auto svg = rubato::io::to_svg({.title = "h", .panels = {{.series = {{.x = {0, 1}, .y = {1, 2}}}}}});
  std::printf("%s\n", config.error().message.c_str());
  return svg.find("<polyline") == std::string::npos ? 1 : 0;
}
