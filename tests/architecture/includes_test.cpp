/// Includes go one way: base <- problem <- step <- average <- march <- solution <- method; output and app see
/// everything.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;

const std::vector<std::string> chain{"base", "problem", "step", "average", "march", "solution", "method", "output"};

bool may_include(const std::string& room, const std::string& other) {
    if (room == "model") {
        return other == "model" || other == "base" || other == "problem";
    }
    const auto at = std::find(chain.begin(), chain.end(), room);
    return at != chain.end() && std::find(chain.begin(), at + 1, other) != at + 1;
}

/// The first room that `text`, a file of `room`, includes and may not.
std::optional<std::string> offence(const std::string& room, const std::string& text) {
    std::stringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        line.erase(std::remove_if(line.begin(), line.end(), [](char c) { return c == ' ' || c == '\t'; }), line.end());
        const std::string start = line.substr(0, 15);
        if (start != "#include\"lento/" && start != "#include<lento/") {
            continue;
        }
        const std::string other = line.substr(15, line.find('/', 15) - 15);
        if (!may_include(room, other)) {
            return other;
        }
    }
    return std::nullopt;
}

TEST(Includes, every_room_sees_only_the_rooms_before_it) {
    const fs::path source = LENTO_SOURCE_DIR;
    int files = 0;
    for (const auto& top : {source / "include" / "lento", source / "src"}) {
        for (const auto& room : fs::directory_iterator(top)) {
            if (!room.is_directory()) {
                continue;  // lento.hpp, the users' front door
            }
            for (const auto& file : fs::recursive_directory_iterator(room)) {
                std::stringstream text;
                text << std::ifstream(file.path()).rdbuf();
                const auto wrong = offence(room.path().filename(), text.str());
                EXPECT_FALSE(wrong) << file.path() << " includes the room " << wrong.value_or("");
                ++files;
            }
        }
    }
    EXPECT_GT(files, 40);
}

TEST(Includes, an_include_the_wrong_way_is_found) {
    EXPECT_EQ(offence("step", "#include <vector>\n#include \"lento/average/window.hpp\"\n"), "average");
    EXPECT_EQ(offence("base", "#  include <lento/problem/mass.hpp>"), "problem");
    EXPECT_EQ(offence("model", "#include \"lento/step/verlet.hpp\""), "step");
    EXPECT_EQ(offence("average", "#include \"lento/step/verlet.hpp\""), std::nullopt);
    EXPECT_EQ(offence("nowhere", "#include \"lento/base/jet.hpp\""), "base");
}

}  // namespace
