// Whatever a file holds, the reader answers with a model or with sentences: thousands of broken variants of a file that uses
// every table. tests/fuzz looks further with Clang's fuzzer.
#include <gtest/gtest.h>

#include <random>
#include <string>

#include "rubato/base/function.hpp"
#include "rubato/io/model_file.hpp"
#include "rubato/multibody/scene.hpp"
#include "rubato/multibody/system.hpp"
#include "support/model_texts.hpp"

namespace rubato::io {
namespace {

Result<std::string> included(const std::filesystem::path& /*file*/) {
  return std::string("[parameters]\nM = 2\n[[body]]\nname = \"extra\"\nkind = \"point\"\nmass = \"M\"\n");
}

std::string mutated(std::string text, std::mt19937& random) {
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % (n + 1)); };
  for (std::size_t n = 1 + below(3); n > 0; --n) {
    const std::size_t at = below(text.size()), length = std::min(below(20), text.size() - at);
    switch (random() % 7) {
      case 0: text.erase(at, length); break;
      case 1: text.insert(at, test::model_words[random() % test::model_words.size()]); break;
      case 2: text.replace(at, length, test::model_words[random() % test::model_words.size()]); break;
      case 3: text.insert(below(text.size()), text.substr(at, length)); break;
      case 4:
        if (at < text.size()) text[at] = static_cast<char>(random() % 256);
        break;
      case 5: text.resize(at); break;
      default: {  // a line from elsewhere
        const auto begin = text.find('\n', at);
        if (begin == std::string::npos) break;
        const auto end = text.find('\n', begin + 1);
        if (end == std::string::npos) break;
        const std::string line = text.substr(begin, end - begin);
        const auto to = text.find('\n', below(text.size()));
        if (to != std::string::npos) text.insert(to, line);
      }
    }
  }
  return text;
}

TEST(ModelFileMutations, AreReadOrRefused) {
  ASSERT_TRUE(parse_model_file(test::rich_model, "m.toml", {}, included))
      << parse_model_file(test::rich_model, "m.toml", {}, included).error().message;
  std::mt19937 random(4);
  int accepted = 0;
  for (int n = 0; n < 3000; ++n) {
    const std::string text = mutated(std::string(test::rich_model), random);
    const auto model = parse_model_file(text, "m.toml", {}, included);
    if (!model) {
      EXPECT_FALSE(model.error().message.empty());
      continue;
    }
    ++accepted;
    const auto again = parse_model_file(model->text, "m.toml", {}, included);
    ASSERT_TRUE(again) << again.error().message << "\n" << model->text;
    EXPECT_EQ(again->text, model->text);
    for (const auto& joint : model->mechanism.joints)
      if (joint.motion) (void)(*joint.motion)(0.3);
    const auto system = multibody::build(model->mechanism);
    if (!system) {
      EXPECT_FALSE(system.error().message.empty());
      continue;
    }
    const auto scene = multibody::make_scene(model->mechanism);
    ASSERT_TRUE(scene) << scene.error().message;
    std::vector<multibody::Vector3> points(scene->n_points());
    std::vector<multibody::Pose> poses;
    const MechanicalState start = (*system)->start();
    for (std::size_t i = 0; i < (*system)->n_frames(); ++i)
      poses.push_back((*system)->pose(i, view(start.q), view(start.base)));
    scene->place(poses, points);
  }
  EXPECT_GT(accepted, 30);  // the rest has a mistake
}

}  // namespace
}  // namespace rubato::io
