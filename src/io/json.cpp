// The only file that sees nlohmann-json.
#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "io/json_text.hpp"
#include "rubato/io/realtime_report.hpp"
#include "rubato/io/summary.hpp"

namespace rubato::io {

namespace {
using Json = nlohmann::ordered_json;

/// JSON knows no NaN and no infinity: null and text.
Json number(double value) {
  if (std::isfinite(value)) return value;
  if (std::isnan(value)) return nullptr;
  return value > 0 ? "inf" : "-inf";
}

/// Bytes that are not UTF-8 are replaced, never thrown at.
std::string text(const Json& json) { return json.dump(2, ' ', false, Json::error_handler_t::replace) + '\n'; }
}  // namespace

std::string json_of(const Table& table) {
  Json list = Json::array();
  for (const auto& row : table.rows) {
    Json object = Json::object();
    for (std::size_t j = 0; j < row.size(); ++j) {
      Json& value = object[table.columns[j]];
      if (const auto* word = std::get_if<std::string>(&row[j]))
        value = word->empty() ? Json(nullptr) : Json(*word);
      else if (const auto* real = std::get_if<double>(&row[j]))
        value = number(*real);
      else if (const auto* count = std::get_if<long>(&row[j]))
        value = *count;
      else
        value = std::get<bool>(row[j]);
    }
    list.push_back(std::move(object));
  }
  return text(list);
}

std::string summary_json(const RunResult& r, const RowSource& rows) {
  Json statistics = Json::object();
  for (const auto& counter : counters) statistics[std::string(counter.name)] = r.statistics.*counter.value;
  Json events = Json::array();
  for (const auto& event : rows.events)
    events.push_back({{"t", number(event.t)},
                      {"roots", event.roots},
                      {"mode_before", event.mode_before},
                      {"mode_after", event.mode_after}});
  const Json summary = {
      {"title", r.title},
      {"problem", r.problem},
      {"formulation", r.formulation},
      {"method", r.method},
      {"status", r.status},
      {"reason", r.reason},
      {"time", {{"start", number(r.t_start)}, {"end", number(r.t_end)}, {"reached", number(r.t)}}},
      {"steps",
       {{"last", number(r.last_step)}, {"smallest", number(r.smallest_step)}, {"largest", number(r.largest_step)}}},
      {"stiff", r.stiff ? Json(*r.stiff) : Json(nullptr)},
      {"rows", rows.n_rows},
      {"statistics", statistics},
      {"events", events},
      {"options", r.options},
      {"rubato", r.version}};
  return text(summary);
}

std::string timing_json(const Statistics& statistics, double wall_seconds) {
  const auto& s = statistics.seconds;
  return text({{"unit", "s"},
               {"wall", number(wall_seconds)},
               {"integration", number(s.total)},
               {"f", number(s.f)},
               {"jacobian", number(s.jacobian)},
               {"factor", number(s.factor)},
               {"solve", number(s.solve)}});
}

std::string realtime_summary_json(const realtime::Plan& plan, const RealtimeResult& result,
                                  const realtime::RunnerReport& report) {
  return text({{"plan", result.plan},
               {"model", plan.model},
               {"settings", plan.settings},
               {"step", number(plan.step)},
               {"back_end", realtime::to_string(plan.back_end)},
               {"status", result.status},
               {"reason", result.reason},
               {"reached", number(result.t)},
               {"steps", report.steps},
               {"failures", report.failures},
               {"warnings", report.warnings},
               {"largest_error", number(report.largest_error)},
               {"largest_algebraic_residual", number(report.largest_algebraic_residual)},
               {"largest_backward_error", number(report.largest_backward_error)},
               {"smallest_damping", number(report.smallest_damping)},
               {"inputs", plan.structure.n_inputs},
               {"messages",
                {{"taken", report.link.messages},
                 {"not_finite", report.link.not_finite},
                 {"malformed", report.link.malformed},
                 {"foreign", report.link.foreign},
                 {"late", report.link.late}}},
               {"channels", result.channels},
               {"rubato", result.version}});
}

std::string realtime_timing_json(const realtime::RunnerReport& report) {
  const auto distribution = [](const realtime::StepTimes& times) {
    Json bins = Json::array();
    for (std::size_t b = 0; b < times.bins().size(); ++b)
      if (times.bins()[b] > 0) bins.push_back({realtime::StepTimes::bin_end(static_cast<int>(b)), times.bins()[b]});
    return Json{{"count", times.count()},          {"mean", number(times.mean())},
                {"median", times.quantile(0.5)},   {"99 %", times.quantile(0.99)},
                {"99.9 %", times.quantile(0.999)}, {"99.99 %", times.quantile(0.9999)},
                {"longest", times.longest()},      {"up to, count", bins}};
  };
  return text({{"unit", "ns"},
               {"step", distribution(report.times)},
               {"wake_up", distribution(report.wake_up)},
               {"missed_deadlines", report.missed},
               {"not_got", report.not_got}});
}

std::string manifest_json(const Manifest& manifest) {
  Json files = Json::array();
  for (const auto& file : manifest.files) {
    Json entry = {{"name", file.name}};
    if (file.content) {
      entry["bytes"] = file.content->size;
      entry["crc32"] = fmt::format("{:08x}", file.content->checksum);
    }
    files.push_back(std::move(entry));
  }
  return text(Json{{"rubato", manifest.version}, {"files", std::move(files)}});
}

std::optional<Manifest> manifest_from_json(const std::string& given) {
  const Json json = Json::parse(given, nullptr, /*allow_exceptions=*/false);
  const auto of_type = [](const Json& object, const char* key, auto is_type) {
    return object.is_object() && object.contains(key) && (object[key].*is_type)();
  };
  if (!of_type(json, "rubato", &Json::is_string) || !of_type(json, "files", &Json::is_array)) return {};
  Manifest manifest{.version = json["rubato"].get<std::string>(), .files = {}};
  for (const Json& file : json["files"]) {
    if (!of_type(file, "name", &Json::is_string)) return {};
    ManifestEntry entry{.name = file["name"].get<std::string>(), .content = {}};
    if (file.contains("bytes") || file.contains("crc32")) {
      if (!of_type(file, "bytes", &Json::is_number_unsigned) || !of_type(file, "crc32", &Json::is_string)) return {};
      FileDigest& content = entry.content.emplace();
      content.size = file["bytes"].get<std::uint64_t>();
      const auto& digits = file["crc32"].get_ref<const std::string&>();
      const char* const end = digits.data() + digits.size();
      const auto [stop, failure] = std::from_chars(digits.data(), end, content.checksum, 16);
      if (failure != std::errc() || stop != end) return {};
    }
    manifest.files.push_back(std::move(entry));
  }
  return manifest;
}

}  // namespace rubato::io
