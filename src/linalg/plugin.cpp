// Back ends that are loaded when first asked for, because their licence does not go with the library's.
#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdlib>
#include <string>

#include "back_ends.hpp"

namespace rubato::detail {

/// Looked for in the folder RUBATO_PLUGINS (environment), where it was installed, and where the system looks for shared objects.
Result<Plugin> cholmod_plugin() {
  static const Result<Plugin> loaded = []() -> Result<Plugin> {
    const std::string name = "librubato_cholmod.so";
    const char* const folder = std::getenv("RUBATO_PLUGINS");
    void* object = nullptr;
    std::string why;
    for (const std::string& prefix : {folder != nullptr ? fmt::format("{}/", folder) : std::string(),
                                      std::string(RUBATO_PLUGIN_FOLDER) + "/", std::string()}) {
      if (object == nullptr) object = dlopen((prefix + name).c_str(), RTLD_NOW | RTLD_LOCAL);
      if (object == nullptr && why.empty()) why = dlerror();
    }
    if (object == nullptr)
      return Error{fmt::format(
          "back end cholmod: the plug-in {} could not be loaded from the folder RUBATO_PLUGINS ({}), nor from where "
          "it would be installed, {} ({}); it is built with -DRUBATO_CHOLMOD=ON. Back ends without plug-in: automatic, "
          "dense, klu, "
          "mumps",
          name, folder != nullptr ? folder : "not set", RUBATO_PLUGIN_FOLDER, why)};
    void* const make = dlsym(object, "rubato_make_solver");
    if (make == nullptr) return Error{fmt::format("back end cholmod: {} has no function rubato_make_solver", name)};
    return Plugin{reinterpret_cast<decltype(Plugin::make)>(make)};
  }();
  return loaded;
}

}  // namespace rubato::detail
