#pragma once
/// Words for messages: the nearest known name, lists of names.
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace rubato {

/// The number of single-character edits (insert, delete, replace, swap of neighbours) between two names, case ignored.
[[nodiscard]] int edit_distance(std::string_view a, std::string_view b);

/// The known name nearest to `name`, or an empty string when none is near enough to be a likely slip of the pen.
[[nodiscard]] std::string nearest_name(std::string_view name, std::span<const std::string> known);

/// "a, b, c".
[[nodiscard]] std::string joined(std::span<const std::string> names, std::string_view separator = ", ");

/// "unknown method 'ros3q'; did you mean 'ros3p'? known: …". `what` is a singular noun.
[[nodiscard]] std::string unknown_name(std::string_view what, std::string_view name,
                                       std::span<const std::string> known);

/// The text without white space at both ends.
[[nodiscard]] std::string_view trimmed(std::string_view text);

/// The shortest decimal text that reads back as the same double.
[[nodiscard]] std::string shortest(double value);

}  // namespace rubato
