#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "io/overloaded.hpp"
#include "io/run_file_key_table.hpp"
#include "io/toml_text.hpp"
#include "rubato/base/assert.hpp"
#include "rubato/base/text.hpp"
#include "rubato/io/model_file.hpp"
#include "rubato/io/run_file.hpp"
#include "rubato/io/solid_file.hpp"

namespace rubato::io {

namespace {

constexpr double most_rows = 1e7;  // at regular times

std::string range_words(const Key& key, std::string_view noun) {
  const bool low = key.min > -1e300, high = key.max < 1e300;
  const std::string_view over = key.min_excluded ? ">" : "≥";
  std::string words(noun);
  if (low && high)
    words += fmt::format(" {} {} and ≤ {}", over, shortest(key.min), shortest(key.max));
  else if (low)
    words += fmt::format(" {} {}", over, shortest(key.min));
  else if (high)
    words += fmt::format(" ≤ {}", shortest(key.max));
  if (!key.unit.empty()) words += fmt::format(", in {}", key.unit);
  return words;
}

std::string choice_names(const Key& key) {
  std::vector<std::string> names;
  for (const auto& c : key.choices) names.push_back(c.name);
  return joined(names);
}

std::string toml_of(const Key& key, const Field& field) {
  return std::visit(
      Overloaded{[](const std::string* v) { return toml_text(*v); }, [](const double* v) { return toml_text(*v); },
                 [](const std::optional<double>* v) { return *v ? toml_text(**v) : std::string{}; },
                 [](const long* v) { return fmt::format("{}", *v); },
                 [](const int* v) { return fmt::format("{}", *v); },
                 [](const bool* v) { return std::string(*v ? "true" : "false"); },
                 [&](const std::uint8_t* v) {
                   for (const auto& c : key.choices)
                     if (c.value == *v) return toml_text(c.name);
                   return std::string("\"?\"");
                 },
                 [](const std::vector<double>* v) {
                   std::vector<std::string> parts;
                   for (const double x : *v) parts.push_back(toml_text(x));
                   return fmt::format("[{}]", joined(parts));
                 },
                 [](const std::vector<std::string>* v) {
                   std::vector<std::string> parts;
                   for (const auto& x : *v) parts.push_back(toml_text(x));
                   return fmt::format("[{}]", joined(parts));
                 },
                 [](const NamedValues* v) {
                   std::vector<std::string> parts;
                   for (const auto& [name, x] : *v) parts.push_back(toml_key(name) + " = " + toml_text(x));
                   return v->empty() ? std::string("{}") : fmt::format("{{ {} }}", joined(parts));
                 }},
      field);
}

/// A default that only words can tell, where it has no value that could stand in a file: left out of to_toml.
bool unset(const Key& key, const Field& field) {
  RunConfig fresh;
  return !key.default_text.empty() && toml_of(key, field) == toml_of(key, key.field(fresh));
}

}  // namespace

std::span<const Key> run_file_keys() {
  static const std::vector<Key> keys = all_run_file_keys();
  return keys;
}

const Key* find_key(std::string_view name) {
  const auto keys = run_file_keys();
  const auto found = std::find_if(keys.begin(), keys.end(), [&](const Key& k) { return k.name == name; });
  return found == keys.end() ? nullptr : &*found;
}

const Key* key_ending_in(std::string_view last) {
  const auto keys = run_file_keys();
  const auto found =
      std::find_if(keys.begin(), keys.end(), [&](const Key& k) { return k.name.ends_with(fmt::format(".{}", last)); });
  return found == keys.end() ? nullptr : &*found;
}

std::string allowed_values(const Key& key) {
  RunConfig any;
  return std::visit(
      Overloaded{
          [&](const std::string*) {
            return key.choices.empty() ? std::string("a text") : "one of " + choice_names(key);
          },
          [&](const std::uint8_t*) { return "one of " + choice_names(key); },
          [&](const double*) { return range_words(key, "a number") + (key.may_be_infinite ? "; inf: no limit" : ""); },
          [&](const std::optional<double>*) { return range_words(key, "a number"); },
          [&](const long*) { return range_words(key, "a whole number"); },
          [&](const int*) { return range_words(key, "a whole number"); },
          [](const bool*) { return std::string("true or false"); },
          [&](const std::vector<double>*) { return range_words(key, "a list of increasing numbers"); },
          [&](const std::vector<std::string>*) {
            return key.choices.empty() ? std::string("a list of texts") : "a list of " + choice_names(key);
          },
          [&](const NamedValues*) { return range_words(key, "names with numbers"); }},
      key.field(any));
}

std::string default_value(const Key& key) {
  if (!key.default_text.empty()) return key.default_text;
  RunConfig fresh;
  return toml_of(key, key.field(fresh));
}

bool is_default(const RunConfig& config, const Key& key) {
  RunConfig copy = config, fresh;  // fields are handed out by address
  return toml_of(key, key.field(copy)) == toml_of(key, key.field(fresh));
}

std::string to_toml(const RunConfig& config) {
  RunConfig copy = config;  // fields are handed out by address
  std::string text, section;
  for (const auto& key : run_file_keys()) {
    const Field field = key.field(copy);
    if (unset(key, field) || (config.has_model() && key.name.starts_with("problem."))) continue;
    const auto dot = key.name.find('.');
    const std::string table = dot == std::string::npos ? std::string{} : key.name.substr(0, dot);
    if (table != section) {
      text += fmt::format("\n[{}]\n", table);
      section = table;
    }
    text +=
        fmt::format("{} = {}\n", dot == std::string::npos ? key.name : key.name.substr(dot + 1), toml_of(key, field));
  }
  if (config.has_model()) {
    text += config.model != nullptr ? config.model->text : config.solid->text;  // ends within [model] or [solid]
    if (!config.formulation.empty()) text += fmt::format("formulation = {}\n", toml_text(config.formulation));
  }
  return text;
}

Error RunConfig::at(std::string_view key, std::string_view sentence) const {
  std::string_view known = key;
  for (;;) {
    if (const auto found = places.find(known); found != places.end()) {
      const bool is_option = found->second.starts_with("--");  // --set key, --method: the key is named already
      return Error{is_option ? fmt::format("{}: {}", found->second, sentence)
                             : fmt::format("{}: {}: {}", found->second, key, sentence)};
    }
    const auto dot = known.rfind('.');
    if (dot == std::string_view::npos) break;
    known = known.substr(0, dot);
  }
  if (const auto file = places.find(std::string_view{}); file != places.end())
    return Error{fmt::format("{}: {}: {}", file->second, key, sentence)};
  return Error{fmt::format("{}: {}", key, sentence)};
}

long checkpoint_every_of(int n) noexcept { return std::clamp(300'000L / std::max(n, 1), 20L, 1000L); }

Result<void> checked_times(const RunConfig& config, double t_start, double t_end) {
  constexpr double most_frames = 1e5, most_steps = 1e9, least_span = 1e-200;
  const double span = t_end - t_start;
  const OutputConfig& output = config.output;
  if (!(span >= least_span))  // a step of a billionth of it is still a normal number, and so are its powers
    return config.at("time.end", fmt::format("the run from {} to {} s lasts {} s; at least {:g} s are allowed",
                                             shortest(t_start), shortest(t_end), shortest(span), least_span));
  const auto too_many = [&](std::string_view key, double size, double most, std::string_view what) -> Result<void> {
    if (!(size > 0 && span / size > most)) return {};
    return config.at(key, fmt::format("{} would {} over {} s; at most {:g}", shortest(size),
                                      fmt::format(fmt::runtime(what), span / size), shortest(span), most));
  };
  if (auto fine = too_many("output.every", output.every, most_rows, "give {:.3g} rows"); !fine) return fine;
  if (auto fine = too_many("output.animation_every", output.animation_every, most_frames, "give {:.3g} frames"); !fine)
    return fine;
  for (const double t : output.times)
    if (!(t >= t_start && t <= t_end))
      return config.at("output.times", fmt::format("{} is outside the run, t = {} … {}", shortest(t), shortest(t_start),
                                                   shortest(t_end)));
  return too_many("solver.fixed_step", config.options.step.fixed_step, most_steps, "need {:.3g} steps");
}

std::vector<double> output_times(const OutputConfig& output, double t_start, double t_end) {
  if (!output.times.empty()) return output.times;
  return output.every > 0 ? regular_times(output.every, t_start, t_end) : std::vector<double>{};
}

std::vector<double> regular_times(double every, double t_start, double t_end) {
  std::vector<double> times;
  const double span = t_end - t_start;
  RUBATO_ASSERT(span / every <= most_rows, "more times than checked_times() allows");
  const auto n = static_cast<long>(std::floor(std::min(most_rows, span / every * (1 + 1e-12))));
  times.reserve(static_cast<std::size_t>(n) + 2);
  for (long i = 0; i <= n; ++i)  // never by repeated addition
    times.push_back(std::min(t_start + static_cast<double>(i) * every, t_end));
  if (times.back() < t_end - 1e-9 * every)
    times.push_back(t_end);
  else
    times.back() = t_end;
  return times;
}

}  // namespace rubato::io
