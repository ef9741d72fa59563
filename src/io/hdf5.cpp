// Beside its driver the only file that sees HDF5, whose C interface is small, stable and needs no C++ library of the same compiler.
#include "rubato/io/hdf5.hpp"

#include <fmt/format.h>
#include <hdf5.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "io/hdf5_driver.hpp"
#include "rubato/io/file.hpp"

namespace rubato::io {

namespace {

/// Closes what HDF5 opened; a negative id is a failure.
class Handle {
 public:
  Handle(hid_t id, herr_t (*closer)(hid_t)) noexcept : id_(id), close_(closer) {}
  Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, -1)), close_(other.close_) {}
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  Handle& operator=(Handle&&) = delete;
  ~Handle() {
    if (id_ >= 0) close_(id_);
  }
  [[nodiscard]] bool ok() const noexcept { return id_ >= 0; }
  operator hid_t() const noexcept { return id_; }
  /// Closes now, to learn whether it worked.
  bool close() noexcept { return close_(std::exchange(id_, -1)) >= 0; }

 private:
  hid_t id_;
  herr_t (*close_)(hid_t);
};

/// HDF5 prints its error stack to stderr by default; we return a sentence instead.
class Quiet {
 public:
  Quiet() noexcept {
    H5Eget_auto2(H5E_DEFAULT, &function_, &data_);
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  }
  ~Quiet() { H5Eset_auto2(H5E_DEFAULT, function_, data_); }
  Quiet(const Quiet&) = delete;
  Quiet& operator=(const Quiet&) = delete;

 private:
  H5E_auto2_t function_ = nullptr;
  void* data_ = nullptr;
};

Handle space_of(const std::vector<hsize_t>& extent) {
  return {extent.empty() ? H5Screate(H5S_SCALAR)
                         : H5Screate_simple(static_cast<int>(extent.size()), extent.data(), nullptr),
          H5Sclose};
}

/// Fixed length, zero padded UTF-8: no heap, so the same bytes every time.
Handle text_type(std::size_t length) {
  Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
  H5Tset_size(type, std::max<std::size_t>(length, 1));
  H5Tset_cset(type, H5T_CSET_UTF8);
  H5Tset_strpad(type, H5T_STR_NULLPAD);
  return type;
}

/// Writes into one open file; remembers whether everything worked.
class Hdf5Writer {
 public:
  explicit Hdf5Writer(const Hdf5Disk& disk) : disk_(disk) {}
  bool ok = true;

  void attribute(hid_t object, const char* name, const std::string& text) {
    const Handle type = text_type(text.size()), space = space_of({});
    const Handle made(H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
    const std::string bytes = text.empty() ? std::string(1, '\0') : text;
    ok = ok && made.ok() && H5Awrite(made, type, bytes.data()) >= 0;
  }
  void attribute(hid_t object, const char* name, double value) {
    scalar(object, name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, &value);
  }
  void attribute(hid_t object, const char* name, long value) {
    scalar(object, name, H5T_STD_I64LE, H5T_NATIVE_LONG, &value);
  }

  /// Rows of doubles that come one after the other, written a chunk at a time. `width` 0: a list of numbers.
  class Rows {
   public:
    Rows(Hdf5Writer& writer, hid_t parent, const char* name, std::size_t n_rows, std::size_t width, bool list)
        : writer_(writer),
          list_(list),
          n_rows_(n_rows),
          width_(list ? 1 : width),
          at_once_(writer.chunk_rows(extent(n_rows), sizeof(double))),
          set_(writer.create(parent, name, H5T_IEEE_F64LE, extent(n_rows), sizeof(double))) {
      writer_.ok = writer_.ok && set_.ok();
      buffer_.reserve(std::min(at_once_, n_rows) * width_);
    }
    /// False: no more are wanted.
    bool add(In row) {
      buffer_.insert(buffer_.end(), row.begin(), row.end());
      if (++waiting_ == at_once_) write();
      return writer_.ok && done_ + waiting_ < n_rows_;
    }
    /// All rows are there.
    void finish(const char* unit = "") {
      write();
      writer_.ok = writer_.ok && done_ == n_rows_;
      if (writer_.ok && *unit != '\0') writer_.attribute(set_, "unit", std::string(unit));
    }

   private:
    [[nodiscard]] std::vector<hsize_t> extent(std::size_t rows) const {
      return list_ ? std::vector<hsize_t>{rows} : std::vector<hsize_t>{rows, width_};
    }
    void write() {
      if (writer_.ok && waiting_ > 0 && width_ > 0) {
        const std::vector<hsize_t> begin = list_ ? std::vector<hsize_t>{done_} : std::vector<hsize_t>{done_, 0},
                                   count = extent(waiting_);
        const Handle memory = space_of(count), place(H5Dget_space(set_), H5Sclose);
        writer_.ok = H5Sselect_hyperslab(place, H5S_SELECT_SET, begin.data(), nullptr, count.data(), nullptr) >= 0 &&
                     H5Dwrite(set_, H5T_NATIVE_DOUBLE, memory, place, H5P_DEFAULT, buffer_.data()) >= 0 &&
                     writer_.disk_works();
      }
      done_ += waiting_;
      waiting_ = 0;
      buffer_.clear();
    }
    Hdf5Writer& writer_;
    bool list_;
    std::size_t n_rows_, width_, at_once_, done_ = 0, waiting_ = 0;
    Handle set_;
    std::vector<double> buffer_;
  };

  void dataset(hid_t parent, const char* name, const std::vector<double>& values, const char* unit) {
    Rows rows(*this, parent, name, values.size(), 1, true);
    for (const double& value : values) rows.add(In(&value, 1));
    rows.finish(unit);
  }
  void dataset(hid_t parent, const char* name, const std::vector<long>& values) {
    const Handle made = create(parent, name, H5T_STD_I64LE, {values.size()}, sizeof(long));
    ok = ok && made.ok() &&
         (values.empty() || H5Dwrite(made, H5T_NATIVE_LONG, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) >= 0);
  }
  void dataset(hid_t parent, const char* name, const std::vector<std::string>& texts) {
    std::size_t length = 1;
    for (const auto& text : texts) length = std::max(length, text.size());
    std::string bytes(length * texts.size(), '\0');
    for (std::size_t i = 0; i < texts.size(); ++i) std::memcpy(&bytes[i * length], texts[i].data(), texts[i].size());
    const Handle type = text_type(length);
    const Handle made = create(parent, name, type, {texts.size()}, length);
    ok = ok && made.ok() && (texts.empty() || H5Dwrite(made, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes.data()) >= 0);
  }
  Handle group(hid_t parent, const char* name) {
    const Handle list(H5Pcreate(H5P_GROUP_CREATE), H5Pclose);
    H5Pset_obj_track_times(list, false);
    Handle made(H5Gcreate2(parent, name, H5P_DEFAULT, list, H5P_DEFAULT), H5Gclose);
    ok = ok && made.ok();
    return made;
  }

 private:
  const Hdf5Disk& disk_;

  [[nodiscard]] bool disk_works() const noexcept { return disk_.trouble() == 0; }
  void scalar(hid_t object, const char* name, hid_t file_type, hid_t memory_type, const void* value) {
    const Handle space = space_of({});
    const Handle made(H5Acreate2(object, name, file_type, space, H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
    ok = ok && made.ok() && H5Awrite(made, memory_type, value) >= 0;
  }
  static hsize_t bytes_of(const std::vector<hsize_t>& extent, std::size_t item) {
    hsize_t bytes = item;
    for (const hsize_t n : extent) bytes *= n;
    return bytes;
  }
  static bool compressed(const std::vector<hsize_t>& extent, std::size_t item) {
    constexpr hsize_t worth_compressing = 1 << 16;
    return bytes_of(extent, item) >= worth_compressing && H5Zfilter_avail(H5Z_FILTER_DEFLATE) > 0;
  }
  /// Rows written at once: of a chunk, or all.
  static hsize_t chunk_rows(const std::vector<hsize_t>& extent, std::size_t item) {
    constexpr hsize_t chunk_bytes = 1 << 20;
    if (!compressed(extent, item)) return std::max<hsize_t>(extent[0], 1);
    const hsize_t row_bytes = bytes_of(extent, item) / std::max<hsize_t>(extent[0], 1);
    return std::clamp<hsize_t>(chunk_bytes / std::max<hsize_t>(row_bytes, 1), 1, extent[0]);
  }
  Handle create(hid_t parent, const char* name, hid_t type, const std::vector<hsize_t>& extent, std::size_t item) {
    const Handle list(H5Pcreate(H5P_DATASET_CREATE), H5Pclose), space = space_of(extent);
    H5Pset_obj_track_times(list, false);
    if (compressed(extent, item)) {
      std::vector<hsize_t> chunk = extent;
      chunk[0] = chunk_rows(extent, item);
      H5Pset_chunk(list, static_cast<int>(chunk.size()), chunk.data());
      H5Pset_shuffle(list);
      H5Pset_deflate(list, 4);
    }
    return {H5Dcreate2(parent, name, type, space, H5P_DEFAULT, list, H5P_DEFAULT), H5Dclose};
  }
};

class ResultReader {
 public:
  bool ok = true;

  std::string text(hid_t object, const char* name) {
    const Handle attribute(H5Aopen(object, name, H5P_DEFAULT), H5Aclose);
    if (!(ok = ok && attribute.ok())) return {};
    const Handle type(H5Aget_type(attribute), H5Tclose);
    std::string bytes(H5Tget_size(type), '\0');
    ok = ok && H5Aread(attribute, type, bytes.data()) >= 0;
    return bytes.substr(0, bytes.find('\0'));
  }
  double number(hid_t object, const char* name) { return scalar<double>(object, name, H5T_NATIVE_DOUBLE); }
  long count(hid_t object, const char* name) { return scalar<long>(object, name, H5T_NATIVE_LONG); }

  std::vector<double> numbers(hid_t file, const char* path) { return list<double>(file, path, H5T_NATIVE_DOUBLE); }
  std::vector<long> counts(hid_t file, const char* path) { return list<long>(file, path, H5T_NATIVE_LONG); }
  std::vector<std::string> texts(hid_t file, const char* path) {
    const Handle set(H5Dopen2(file, path, H5P_DEFAULT), H5Dclose);
    if (!(ok = ok && set.ok())) return {};
    const Handle type(H5Dget_type(set), H5Tclose);
    const std::size_t length = H5Tget_size(type), n = size(set);
    std::string bytes(length * n, '\0');
    if (n > 0) ok = ok && H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes.data()) >= 0;
    std::vector<std::string> out;
    for (std::size_t i = 0; i < n; ++i) {
      const std::string one = bytes.substr(i * length, length);
      out.push_back(one.substr(0, one.find('\0')));
    }
    return out;
  }

 private:
  static std::size_t size(hid_t set) {
    const Handle space(H5Dget_space(set), H5Sclose);
    return static_cast<std::size_t>(std::max<hssize_t>(H5Sget_simple_extent_npoints(space), 0));
  }
  template <class T>
  T scalar(hid_t object, const char* name, hid_t type) {
    T value{};
    const Handle attribute(H5Aopen(object, name, H5P_DEFAULT), H5Aclose);
    ok = ok && attribute.ok() && H5Aread(attribute, type, &value) >= 0;
    return value;
  }
  template <class T>
  std::vector<T> list(hid_t file, const char* path, hid_t type) {
    const Handle set(H5Dopen2(file, path, H5P_DEFAULT), H5Dclose);
    if (!(ok = ok && set.ok())) return {};
    std::vector<T> values(size(set));
    if (!values.empty()) ok = ok && H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) >= 0;
    return values;
  }
};

Result<void> write_all(Hdf5Writer& writer, hid_t file, const RunResult& r, const RowSource& x) {
  writer.attribute(file, "title", r.title);
  writer.attribute(file, "problem", r.problem);
  writer.attribute(file, "formulation", r.formulation);
  writer.attribute(file, "method", r.method);
  writer.attribute(file, "options", r.options);
  writer.attribute(file, "rubato", r.version);
  writer.attribute(file, "status", r.status);
  writer.attribute(file, "reason", r.reason);
  writer.attribute(file, "t_start", r.t_start);
  writer.attribute(file, "t_end", r.t_end);
  writer.attribute(file, "t_reached", r.t);
  writer.attribute(file, "last_step", r.last_step);
  writer.attribute(file, "smallest_step", r.smallest_step);
  writer.attribute(file, "largest_step", r.largest_step);

  {
    Hdf5Writer::Rows time(writer, file, "time", x.n_rows, 1, true);
    if (auto read = x.each_row([&](double t, In) { return time.add(In(&t, 1)); }); !read) return read;
    time.finish("s");
  }
  {
    Hdf5Writer::Rows values(writer, file, "values", x.n_rows, x.channels(), false);
    if (auto read = x.each_row([&](double, In row) { return values.add(row); }); !read) return read;
    values.finish();
  }
  writer.dataset(file, "names", x.names);
  writer.dataset(file, "units", x.units);

  const Handle steps = writer.group(file, "steps");
  {
    Hdf5Writer::Rows time(writer, steps, "time", x.n_steps, 1, true);
    if (auto read = x.each_step([&](double t, double) { return time.add(In(&t, 1)); }); !read) return read;
    time.finish("s");
  }
  {
    Hdf5Writer::Rows size(writer, steps, "size", x.n_steps, 1, true);
    if (auto read = x.each_step([&](double, double h) { return size.add(In(&h, 1)); }); !read) return read;
    size.finish("s");
  }

  std::vector<double> times;
  std::vector<long> before, after, root_event, root;
  for (const auto& event : x.events) {
    for (const int which : event.roots) {
      root_event.push_back(static_cast<long>(times.size()));
      root.push_back(which);
    }
    times.push_back(event.t);
    before.push_back(event.mode_before);
    after.push_back(event.mode_after);
  }
  const Handle events = writer.group(file, "events");
  writer.dataset(events, "time", times, "s");
  writer.dataset(events, "mode_before", before);
  writer.dataset(events, "mode_after", after);
  writer.dataset(events, "root_event", root_event);
  writer.dataset(events, "root", root);

  const Handle statistics = writer.group(file, "statistics");
  for (const auto& counter : counters)
    writer.attribute(statistics, std::string(counter.name).c_str(), r.statistics.*counter.value);
  return {};
}

}  // namespace

Result<void> write_hdf5(const std::filesystem::path& file, const RunResult& result) {
  return write_hdf5(file, result, TrajectoryRows(result.trajectory));
}

Result<void> write_hdf5(const std::filesystem::path& file, const RunResult& result, const RowSource& rows) {
  const Quiet quiet;
  auto part = PartFile::beside(file);
  if (!part) return part.error();
  Hdf5Disk disk(part->path());
  const Handle list(H5Pcreate(H5P_FILE_CREATE), H5Pclose);
  H5Pset_obj_track_times(list, false);
  const Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  // Attributes of 64 kB and more, as the options of large models are, need the file format of HDF5 1.8.
  if (result.options.size() > 60'000) H5Pset_libver_bounds(access, H5F_LIBVER_V18, H5F_LIBVER_V18);
  const auto refused = [&](std::string_view why) {
    return Error{fmt::format("{}: cannot be written: {}", file.string(), why)};
  };
  if (!disk.serve(access)) return refused("no file driver for HDF5");
  Handle handle(H5Fcreate(part->path().c_str(), H5F_ACC_TRUNC, list, access), H5Fclose);
  if (!handle.ok()) return refused("HDF5");
  Hdf5Writer writer(disk);
  const auto read = write_all(writer, handle, result, rows);
  const bool closed = handle.close();
  if (!read) return read;
  if (disk.trouble() != 0) return refused(std::strerror(disk.trouble()));
  if (!closed || !writer.ok) return refused("HDF5");
  return part->finish();
}

Result<RunResult> read_hdf5(const std::filesystem::path& file) {
  const Quiet quiet;
  const Handle handle(H5Fopen(file.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose);
  if (!handle.ok()) return Error{fmt::format("{}: cannot be read as an HDF5 file", file.string())};
  ResultReader reader;
  RunResult r;
  r.title = reader.text(handle, "title");
  r.problem = reader.text(handle, "problem");
  r.formulation = reader.text(handle, "formulation");
  r.method = reader.text(handle, "method");
  r.options = reader.text(handle, "options");
  r.version = reader.text(handle, "rubato");
  r.status = reader.text(handle, "status");
  r.reason = reader.text(handle, "reason");
  r.t_start = reader.number(handle, "t_start");
  r.t_end = reader.number(handle, "t_end");
  r.t = reader.number(handle, "t_reached");
  r.last_step = reader.number(handle, "last_step");
  r.smallest_step = reader.number(handle, "smallest_step");
  r.largest_step = reader.number(handle, "largest_step");

  Trajectory& x = r.trajectory;
  x.times = reader.numbers(handle, "time");
  x.values = reader.numbers(handle, "values");
  x.names = reader.texts(handle, "names");
  x.units = reader.texts(handle, "units");
  x.step_times = reader.numbers(handle, "steps/time");
  x.step_sizes = reader.numbers(handle, "steps/size");
  const auto times = reader.numbers(handle, "events/time");
  const auto before = reader.counts(handle, "events/mode_before"), after = reader.counts(handle, "events/mode_after");
  const auto root_event = reader.counts(handle, "events/root_event"), root = reader.counts(handle, "events/root");
  const bool sizes_agree = x.values.size() == x.rows() * x.channels() && x.units.size() == x.channels() &&
                           x.step_sizes.size() == x.step_times.size() && before.size() == times.size() &&
                           after.size() == times.size() && root.size() == root_event.size() &&
                           std::all_of(root_event.begin(), root_event.end(),
                                       [&](long e) { return e >= 0 && static_cast<std::size_t>(e) < times.size(); });
  if (!reader.ok || !sizes_agree)
    return Error{fmt::format("{}: an HDF5 file, but not a complete result of Rubato", file.string())};
  for (std::size_t i = 0; i < times.size(); ++i)
    x.events.push_back({.t = times[i],
                        .roots = {},
                        .mode_before = static_cast<int>(before[i]),
                        .mode_after = static_cast<int>(after[i])});
  for (std::size_t i = 0; i < root.size(); ++i)
    x.events[static_cast<std::size_t>(root_event[i])].roots.push_back(static_cast<int>(root[i]));

  const Handle statistics(H5Gopen2(handle, "statistics", H5P_DEFAULT), H5Gclose);
  for (const auto& counter : counters)
    r.statistics.*counter.value = reader.count(statistics, std::string(counter.name).c_str());
  if (!reader.ok) return Error{fmt::format("{}: counters are missing in /statistics", file.string())};
  return r;
}

}  // namespace rubato::io
