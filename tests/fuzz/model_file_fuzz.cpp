// The reader of model files against libFuzzer (`make fuzz`): any bytes give a model or an error, and the text of a model reads
// back as the same model.
#include <cstdint>
#include <cstdlib>

#include "rubato/base/function.hpp"
#include "rubato/io/model_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace rubato;
  const io::FileText no_files = [](const std::filesystem::path&) -> Result<std::string> {
    return Error{"no files here"};
  };
  const auto model = io::parse_model_file({reinterpret_cast<const char*>(data), size}, "fuzz.toml", {}, no_files);
  if (!model) {
    if (model.error().message.empty()) std::abort();
    return 0;
  }
  for (const auto& joint : model->mechanism.joints)
    if (joint.motion) (void)(*joint.motion)(Dual<double, 1>(0.3));
  const auto again = io::parse_model_file(model->text, "fuzz.toml", {}, no_files);
  if (!again || again->text != model->text) std::abort();
  return 0;
}
