#include "rubato/base/expression.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <numbers>

#include "rubato/base/text.hpp"

namespace rubato {

namespace {

using Op = ExpressionOp;

constexpr ExpressionFunction functions[] = {
    {"sin", Op::sin, 1, "sin(x)"},
    {"cos", Op::cos, 1, "cos(x)"},
    {"tan", Op::tan, 1, "tan(x)"},
    {"asin", Op::asin, 1, "asin(x)"},
    {"acos", Op::acos, 1, "acos(x)"},
    {"atan", Op::atan, 1, "atan(x)"},
    {"atan2", Op::atan2, 2, "atan2(y, x): the angle of the point (x, y)"},
    {"sinh", Op::sinh, 1, "sinh(x)"},
    {"cosh", Op::cosh, 1, "cosh(x)"},
    {"tanh", Op::tanh, 1, "tanh(x)"},
    {"exp", Op::exp, 1, "exp(x)"},
    {"log", Op::log, 1, "log(x): natural"},
    {"log10", Op::log10, 1, "log10(x)"},
    {"sqrt", Op::sqrt, 1, "sqrt(x)"},
    {"abs", Op::abs, 1, "abs(x)"},
    {"sign", Op::sign, 1, "sign(x): -1, 0 or 1"},
    {"min", Op::min, 2, "min(x, y, …)"},
    {"max", Op::max, 2, "max(x, y, …)"},
    {"if", Op::choose, 3, "if(condition, then, else)"},
    {"step", Op::step, 5, "step(x, x0, y0, x1, y1): from y0 to y1 between x0 and x1, twice differentiable"},
};

struct Operator {
  std::string_view text;
  Op op;
  int strength;
};
constexpr int comparison = 3;
constexpr Operator operators[] = {
    // longer texts first
    {"||", Op::either, 1},
    {"&&", Op::both, 2},
    {"<=", Op::less_equal, comparison},
    {">=", Op::greater_equal, comparison},
    {"==", Op::equal, comparison},
    {"!=", Op::not_equal, comparison},
    {"<", Op::less, comparison},
    {">", Op::greater, comparison},
    {"+", Op::add, 4},
    {"-", Op::subtract, 4},
    {"*", Op::multiply, 5},
    {"/", Op::divide, 5},
};

bool starts_name(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

int n_values(Op op) {
  if (op == Op::constant || op == Op::variable) return 0;
  if (op == Op::choose) return 3;
  if (op == Op::step) return 5;
  return op < Op::add ? 1 : 2;
}

}  // namespace

std::span<const ExpressionFunction> expression_functions() { return functions; }

/// Precedence climbing that writes postfix code; constants are folded as they arise.
class ExpressionParser {
 public:
  ExpressionParser(std::string_view text, std::span<const std::string> variables,
                   const Expression::Constants& constants)
      : text_(text), variables_(variables), constants_(constants) {}

  Result<Expression> read() {
    if (text_.size() > Expression::max_length)
      return Error{fmt::format("an expression of {} characters; at most {}", text_.size(), Expression::max_length)};
    result_.text_ = text_;
    result_.code_.clear();
    if (!binary(0)) return std::move(error_);
    if (at_ < text_.size()) {
      expected(text_.substr(at_).starts_with("**") ? "an operator; powers are written x^y" : "an operator or the end");
      return std::move(error_);
    }
    if (result_.is_constant()) {
      const double value = result_.evaluate(std::span<const double>{});
      if (!std::isfinite(value)) return Error{fmt::format("'{}' is {}; a finite number is needed", text_, value)};
      result_.code_ = {{.op = Op::constant, .value = value}};
      result_.stack_ = 1;
    }
    return std::move(result_);
  }

 private:
  using Instruction = Expression::Instruction;

  void skip_blanks() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\n' || text_[at_] == '\r'))
      ++at_;
  }

  bool fail(std::size_t at, std::string sentence) {
    const auto continues = [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; };  // UTF-8
    const auto column = 1 + at - static_cast<std::size_t>(std::count_if(text_.begin(), text_.begin() + at, continues));
    error_.message = fmt::format("column {}: {}", column, sentence);
    return false;
  }
  bool expected(std::string_view what) {
    skip_blanks();
    if (at_ >= text_.size()) return fail(at_, fmt::format("the expression ends; expected {}", what));
    std::size_t end = at_ + 1;
    if (starts_name(text_[at_]) || is_digit(text_[at_]))
      while (end < text_.size() && (starts_name(text_[end]) || is_digit(text_[end]) || text_[end] == '.')) ++end;
    else
      while (end < text_.size() && (static_cast<unsigned char>(text_[end]) & 0xC0U) == 0x80U) ++end;
    return fail(at_, fmt::format("'{}' stands here; expected {}", text_.substr(at_, end - at_), what));
  }

  bool emit(Op op, int index = 0, double value = 0) {
    auto& code = result_.code_;
    const int n = n_values(op);
    height_ += 1 - n;
    result_.stack_ = std::max(result_.stack_, height_);
    if (height_ > Expression::max_stack)
      return fail(at_, fmt::format("nested too deeply: more than {} values wait", Expression::max_stack));
    if (op == Op::power && code.back().op == Op::constant) {
      const double p = code.back().value;
      const bool whole = p == std::round(p) && std::abs(p) <= 64;
      code.pop_back();
      op = whole ? Op::integer_power : Op::constant_power;
      index = whole ? static_cast<int>(p) : 0;
      value = p;
    }
    code.push_back({.op = op, .index = index, .value = value});
    fold(static_cast<std::size_t>(n_values(op)));
    return true;
  }
  /// Replaces the last instruction and its constant arguments by their value, if that is a number.
  void fold(std::size_t n) {
    auto& code = result_.code_;
    if (n == 0 || code.size() < n + 1) return;
    const auto first = code.end() - static_cast<std::ptrdiff_t>(n) - 1;
    if (!std::all_of(first, code.end() - 1, [](const Instruction& i) { return i.op == Op::constant; })) return;
    Expression part;
    part.code_.assign(first, code.end());
    part.stack_ = static_cast<int>(n);
    const double value = part.evaluate(std::span<const double>{});
    if (!std::isfinite(value)) return;
    code.erase(first, code.end());
    code.push_back({.op = Op::constant, .value = value});
  }

  const Operator* peek_operator() {
    skip_blanks();
    for (const Operator& candidate : operators)
      if (text_.substr(at_).starts_with(candidate.text) && !text_.substr(at_).starts_with("**")) return &candidate;
    return nullptr;
  }

  bool binary(int strength) {
    if (!unary()) return false;
    bool compared = false;
    for (const Operator* next = peek_operator(); next != nullptr && next->strength > strength; next = peek_operator()) {
      if (compared && next->strength == comparison)
        return expected("&& or || between two comparisons, as in a < b && b < c");
      compared = next->strength == comparison;
      at_ += next->text.size();
      if (!binary(next->strength) || !emit(next->op)) return false;
    }
    return true;
  }

  bool unary() {
    if (++depth_ > Expression::max_depth)
      return fail(at_, fmt::format("nested more than {} deep", Expression::max_depth));
    skip_blanks();
    bool fine = false;
    if (at_ < text_.size() && (text_[at_] == '-' || text_[at_] == '+')) {
      const bool minus = text_[at_++] == '-';
      fine = unary() && (!minus || emit(Op::negate));
    } else {
      fine = primary();
      skip_blanks();
      if (fine && at_ < text_.size() && text_[at_] == '^') {
        ++at_;
        fine = unary() && emit(Op::power);
      }
    }
    --depth_;
    return fine;
  }

  bool primary() {
    skip_blanks();
    if (at_ >= text_.size()) return expected("a number, a name or (");
    const char c = text_[at_];
    if (c == '(') {
      ++at_;
      return binary(0) && closing(")");
    }
    if (is_digit(c) || c == '.') return number();
    if (starts_name(c)) return name();
    return expected("a number, a name or (");
  }

  bool closing(std::string_view what) {
    skip_blanks();
    if (at_ >= text_.size() || text_[at_] != ')') return expected(fmt::format("an operator or {}", what));
    ++at_;
    return true;
  }

  bool number() {
    double value = 0;
    const char* const begin = text_.data() + at_;
    const auto [end, status] = std::from_chars(begin, text_.data() + text_.size(), value);
    const std::string_view digits(begin, static_cast<std::size_t>(end - begin));
    if (status == std::errc::result_out_of_range) return fail(at_, fmt::format("{} is too large or too small", digits));
    if (status != std::errc{}) return expected("a number, a name or (");
    const std::size_t start = at_;
    at_ += digits.size();
    if (at_ < text_.size() && starts_name(text_[at_]))
      return fail(start, fmt::format("'{}{}' is no number; products are written with *", digits, text_[at_]));
    return emit(Op::constant, 0, value);
  }

  bool name() {
    const std::size_t start = at_;
    while (at_ < text_.size() && (starts_name(text_[at_]) || is_digit(text_[at_]))) ++at_;
    const std::string_view word = text_.substr(start, at_ - start);
    skip_blanks();
    const auto* const function =
        std::find_if(std::begin(functions), std::end(functions), [&](const auto& f) { return f.name == word; });
    if (at_ < text_.size() && text_[at_] == '(' && function != std::end(functions)) return call(*function, start);
    if (const auto found = std::find(variables_.begin(), variables_.end(), word); found != variables_.end())
      return called_by_mistake(word, start) && emit(Op::variable, static_cast<int>(found - variables_.begin()));
    if (const auto found = constants_.find(word); found != constants_.end())
      return called_by_mistake(word, start) && emit(Op::constant, 0, found->second);
    if (word == "pi") return called_by_mistake(word, start) && emit(Op::constant, 0, std::numbers::pi);
    if (word == "e") return called_by_mistake(word, start) && emit(Op::constant, 0, std::numbers::e);
    if (function != std::end(functions))
      return fail(start, fmt::format("'{}' is a function: {}", word, function->help));
    std::vector<std::string> known(variables_.begin(), variables_.end());
    for (const auto& [constant, value] : constants_) known.push_back(constant);
    known.insert(known.end(), {"pi", "e"});
    for (const auto& f : functions) known.emplace_back(f.name);
    return fail(start, unknown_name("name", word, known));
  }
  bool called_by_mistake(std::string_view word, std::size_t start) {
    if (at_ < text_.size() && text_[at_] == '(')
      return fail(start, fmt::format("'{}' is not a function; products are written with *", word));
    return true;
  }

  bool call(const ExpressionFunction& function, std::size_t start) {
    const bool any_number = function.op == Op::min || function.op == Op::max;
    ++at_;  // (
    int n = 0;
    for (bool more = true; more;) {
      if (!binary(0)) return false;
      ++n;
      if (any_number && n > 1 && !emit(function.op)) return false;
      skip_blanks();
      more = at_ < text_.size() && text_[at_] == ',';
      if (more) ++at_;
    }
    if (!closing(") or a comma")) return false;
    if (any_number ? n < function.n_arguments : n != function.n_arguments)
      return fail(start, fmt::format("'{}' with {} value{}; it takes {}{}: {}", function.name, n, n == 1 ? "" : "s",
                                     any_number ? "at least " : "", function.n_arguments, function.help));
    return any_number || emit(function.op);
  }

  std::string_view text_;
  std::span<const std::string> variables_;
  const Expression::Constants& constants_;
  Expression result_;
  Error error_;
  std::size_t at_ = 0;
  int depth_ = 0, height_ = 0;
};

Expression::Expression() : code_{Instruction{}} {}

Result<Expression> Expression::parse(std::string_view text, std::span<const std::string> variables,
                                     const Constants& constants) {
  return ExpressionParser(text, variables, constants).read();
}

bool Expression::is_constant() const noexcept {
  return std::none_of(code_.begin(), code_.end(), [](const Instruction& i) { return i.op == Op::variable; });
}

namespace {

/// A piece of C and how tightly it holds together: 0 needs parentheses inside a sum, 2 never.
struct Piece {
  std::string text;
  bool atomic = true;
};
std::string in_parentheses(Piece piece) { return piece.atomic ? std::move(piece.text) : "(" + piece.text + ")"; }

std::string c99_number(double value) {
  std::string text = shortest(value);
  if (text.find_first_of(".en") == std::string::npos) text += ".0";  // a double, not an int
  return text;
}
std::string_view c99_operator(Op op) {
  for (const auto& candidate : operators)
    if (candidate.op == op) return candidate.text;
  return {};
}
std::string_view c99_function(Op op) {
  switch (op) {
    case Op::power:
    case Op::integer_power:
    case Op::constant_power: return "pow";
    case Op::abs: return "fabs";
    case Op::min: return "fmin";
    case Op::max: return "fmax";
    case Op::sign: return "rubato_sign";
    case Op::step: return "rubato_step";
    default:
      for (const auto& f : functions)
        if (f.op == op) return f.name;
      return {};
  }
}

}  // namespace

std::string_view Expression::c99_helpers() {
  return "static double rubato_sign(double x) { return (x > 0) - (x < 0); }\n"
         "static double rubato_step(double x, double x0, double y0, double x1, double y1) {\n"
         "  const double u = (x - x0) / (x1 - x0);\n"
         "  if (x1 == x0) return x < x0 ? y0 : y1;\n"
         "  return u <= 0 ? y0 : u >= 1 ? y1 : y0 + (y1 - y0) * (u * u * u * (10 + u * (u * 6 - 15)));\n"
         "}\n";
}

std::string Expression::c99(std::span<const std::string> variables) const {
  std::vector<Piece> stack;
  const auto pop = [&] {
    Piece top = std::move(stack.back());
    stack.pop_back();
    return top;
  };
  for (const Instruction& i : code_) {
    if (i.op == Op::constant) {
      stack.push_back({c99_number(i.value), i.value >= 0});
    } else if (i.op == Op::variable) {
      stack.push_back({variables[static_cast<std::size_t>(i.index)], true});
    } else if (i.op == Op::negate) {
      stack.push_back({"-" + in_parentheses(pop()), false});
    } else if (i.op == Op::choose) {
      const std::string otherwise = in_parentheses(pop()), then = in_parentheses(pop());
      stack.push_back({in_parentheses(pop()) + " ? " + then + " : " + otherwise, false});
    } else if (const auto sign = c99_operator(i.op); !sign.empty()) {
      const std::string right = in_parentheses(pop());
      stack.push_back({in_parentheses(pop()) + " " + std::string(sign) + " " + right, false});
    } else {
      std::string arguments =
          i.op == Op::integer_power || i.op == Op::constant_power ? c99_number(i.value) : pop().text;
      for (int k = 1; k < (i.op == Op::integer_power || i.op == Op::constant_power ? 2 : n_values(i.op)); ++k)
        arguments = pop().text + ", " + arguments;
      stack.push_back({std::string(c99_function(i.op)) + "(" + arguments + ")", true});
    }
  }
  return pop().text;
}

}  // namespace rubato
