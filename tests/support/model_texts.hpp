#pragma once
/// A model file that uses every table, and words that model files are made of: where mutations start.
#include <array>
#include <string_view>

namespace rubato::test {

inline constexpr std::string_view rich_model = R"toml(title = "Everything"
include = "other.toml"
[model]
gravity = [0, "-9.81 m/s^2", 0]
formulation = "index-3"
[parameters]
L = "200 mm"
r = "L/2 + sin(pi/6)*1e-3"
[[body]]
name = "rod"
mass = "500 g"
shape = {type = "rod", length = "L", radius = "5 mm"}
at = ["r", 0, 0]
angular_velocity = [0, 0, "60 rpm"]
[[body]]
name = "block"
kind = "spatial"
density = 7800
shape = {type = "box", size = [0.1, "20 mm", 0.3]}
euler = [0, "90 deg", 0]
at = [1, 0, 0]
[[body]]
name = "wheel"
kind = "planar"
mass = 2
inertia = 0.3
angle = "30 deg"
[[body]]
name = "fork"
deformation = [0.002]
at = [0, 1, 0]
[body.flexible]
nodes = [
  {name = "stem", at = [0, 0, 0], mass = "50 g", inertia = "5e-6 kg*m^2"},
  {name = "left", at = [0.1, "L/10", 0], mass = "20 g"},
  {at = [0.1, -0.02, 0], mass = "20 g"},
]
modes = [{frequency_hz = 40, damping_ratio = 0.001, shape = [[0, 0, 0], [0, 1, 0], [0, -1, 0]], rotation = [[0, 0, 0], [0, 0, 3], [0, 0, -3]]}]
[[body]]
name = "ruler"
at = [0, 2, 0]
[body.flexible.beam]
length = "30 cm"
mass_per_length = "0.2 kg/m"
inertia_per_length = ["1e-5 kg*m", 0, 0]
torsion_bending = ["0.2 N*m^2", 0, "0.3 N*m^2"]
ends = "clamped-free"
modes = 3
elements = 4
damping_ratio = 0.02
[[joint]]
name = "weld"
type = "fixed"
a = {body = "ground", at = [0, 1, 0]}
b = {body = "fork", node = "stem"}
[[joint]]
name = "hinge"
type = "revolute"
bodies = ["ground", "rod"]
at = [0, 0, 0]
axis = [0, 0, 1]
x_axis = [1, 0, 0]
motion = "2*pi*t + if(t > 1, r, step(t, 0, 0, 1, 1))"
[[joint]]
name = "guide"
type = "cylindrical"
a = {body = "ground", at = [1, 0, 0], quaternion = [1, 0, 0, 1]}
b = {body = "block", in_space = true, at = [1, 0, 0], rotation_vector = [0, 0, 1]}
drive = "position"
motion = {table = [[0, 0], [100, 20], [200, 0]], smooth = true, outside = "hold", units = ["ms", "mm"]}
[[joint]]
name = "link"
type = "distance"
a = "rod"
b = "block"
length = 0.9
[[coupling]]
name = "gears"
type = "gear"
joints = ["hinge", "guide"]
ratio = -2
[[coupling]]
name = "ground_contact"
type = "rolling"
a = "ground"
b = {body = "wheel"}
radius = 0.3
[[force]]
name = "spring"
type = "spring-damper"
a = {body = "ground", at = [0, "10 cm", 0]}
b = {body = "rod", at = ["L/2", 0, 0]}
stiffness = "3 kN/mm"
damping = "2 N*s/m"
curve = "1e3*x^3"
[[force]]
name = "mount"
type = "bushing"
bodies = ["rod", "block"]
at = [0.5, 0, 0]
stiffness = [1e5, 1e5, "2 MN/m"]
torsional_damping = 3
[[force]]
name = "push"
type = "applied"
on = {body = "block", at = [0, 0, 0.1]}
force = ["10*sin(5*t)", 0, {table = [[0, 0], [1, 5]]}]
in_body_axes = true
[[force]]
name = "touch"
type = "contact"
stiffness = 1e6
exponent = 1.5
a = {body = "block", shape = "sphere", radius = "5 cm"}
b = {shape = "plane", at = [0, -1, 0], axis = [0, 1, 0]}
friction = {mu_s = 0.3, mu_k = 0.2, v_s = "1 mm/s"}
[[force]]
name = "stop"
type = "end-stop"
bodies = ["ground", "block"]
at = [0, 0, 0]
min = -0.1
max = "1 m"
stiffness = 1e5
[[shape]]
type = "box"
on = "rod"
size = ["L", 0.1, "10 mm"]
[[shape]]
type = "line"
a = {body = "rod", at = [0, 0, 1]}
b = "ground"
)toml";

inline constexpr std::array<std::string_view, 40> model_words = {"[[body]]\n",
                                                                 "[[joint]]\n",
                                                                 "[[force]]\n",
                                                                 "[model]\n",
                                                                 "[parameters]\n",
                                                                 "name = ",
                                                                 "type = ",
                                                                 "\"rod\"",
                                                                 "\"ground\"",
                                                                 "at = ",
                                                                 "axis = ",
                                                                 "[0, 0, 0]",
                                                                 "[[0, 0]]",
                                                                 "{",
                                                                 "}",
                                                                 "[",
                                                                 "]",
                                                                 "\"",
                                                                 "=",
                                                                 "nan",
                                                                 "inf",
                                                                 "-1",
                                                                 "1e308",
                                                                 "1e-320",
                                                                 "\"1 mm\"",
                                                                 "\"kg\"",
                                                                 "\"L/0\"",
                                                                 "\"((((\"",
                                                                 "\n",
                                                                 ",",
                                                                 "smooth = true",
                                                                 "table = ",
                                                                 "true",
                                                                 "'",
                                                                 "\"\"\"",
                                                                 "#",
                                                                 "\\",
                                                                 "\xff",
                                                                 "a.b.c.d = 1",
                                                                 "1979-05-27"};

}  // namespace rubato::test
