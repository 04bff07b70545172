/// Includes go one way: base <- problem <- step <- average <- march <- solution <- judge <- run <- method. `model` sees
/// base, problem and run; output and app see everything. Headers in include/ are the users': they include no private
/// ones, which are those in src/, and no library that users need not have.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "tests/source_dir.hpp"

namespace {

namespace fs = std::filesystem;

const std::vector<std::string> chain{"base",     "problem", "step", "average", "march",
                                     "solution", "judge",   "run",  "method"};

bool is_one_of(const std::vector<std::string>& rooms, const std::string& room) {
    return std::find(rooms.begin(), rooms.end(), room) != rooms.end();
}

bool may_include(const std::string& room, const std::string& other) {
    if (room == "model") {
        return is_one_of({"model", "base", "problem", "run"}, other);
    }
    if (room == "output" || room == "app") {
        return is_one_of(chain, other) || is_one_of({"model", "output"}, other);
    }
    const auto at = std::find(chain.begin(), chain.end(), room);
    return at != chain.end() && std::find(chain.begin(), at + 1, other) != at + 1;
}

/// What a line includes, "x" of `#include "x"` and of `#include <x>`.
struct Included {
    std::string path;
    bool quoted = false;
};
std::optional<Included> included(std::string line) {
    line.erase(std::remove_if(line.begin(), line.end(), [](char c) { return c == ' ' || c == '\t'; }), line.end());
    const std::string word = "#include";
    if (line.compare(0, word.size(), word) != 0 || line.size() < word.size() + 2) {
        return std::nullopt;
    }
    const bool quoted = line[word.size()] == '"';
    const auto from = word.size() + 1;
    return Included{line.substr(from, line.find(quoted ? '"' : '>', from) - from), quoted};
}

std::string folder_of(const std::string& path) {
    return path.substr(0, path.find('/'));
}

enum class Header { users, ours };  ///< in include/, or in src/ and app/

/// The first thing that `text`, a file of `room`, includes and may not: a room, or a header.
std::optional<std::string> offence(const std::string& room, const std::string& text, Header header = Header::ours) {
    std::stringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        const auto found = included(line);
        const std::string front = "lento/";
        const bool of_users = found && found->path.compare(0, front.size(), front) == 0;
        if (found && header == Header::users && is_one_of({"Eigen", "fmt"}, folder_of(found->path))) {
            return found->path;  // libraries that users need not have
        }
        if (!found || (!of_users && !found->quoted)) {
            continue;  // of another library
        }
        const std::string path = of_users ? found->path.substr(front.size()) : found->path;
        const auto slash = path.find('/');
        if (!of_users && (slash == std::string::npos || header == Header::users)) {
            // NOTE: the headers of the program are in its own folder, and of no room.
            if (room == "app" && slash == std::string::npos) {
                continue;
            }
            return path;
        }
        if (slash != std::string::npos && !may_include(room, folder_of(path))) {
            return folder_of(path);
        }
    }
    return std::nullopt;
}

void expect_no_offence(const fs::path& folder, const std::string& room, Header header, int& files) {
    for (const auto& file : fs::recursive_directory_iterator(folder)) {
        const auto extension = file.path().extension();
        if (extension != ".hpp" && extension != ".cpp") {
            continue;
        }
        std::stringstream text;
        text << std::ifstream(file.path()).rdbuf();
        const auto wrong = offence(room, text.str(), header);
        EXPECT_FALSE(wrong) << file.path() << " includes " << wrong.value_or("");
        ++files;
    }
}

TEST(Includes, every_room_sees_only_the_rooms_before_it) {
    const fs::path& source = source_dir;
    int files = 0;
    for (const auto& [top, header] :
         {std::pair{source / "include" / "lento", Header::users}, std::pair{source / "src", Header::ours}}) {
        for (const auto& room : fs::directory_iterator(top)) {
            if (room.is_directory()) {  // not lento.hpp, the users' front door
                expect_no_offence(room.path(), room.path().filename(), header, files);
            }
        }
    }
    expect_no_offence(source / "app", "app", Header::ours, files);
    EXPECT_GT(files, 250);
}

TEST(Includes, an_include_the_wrong_way_is_found) {
    EXPECT_EQ(offence("step", "#include <vector>\n#include \"average/window.hpp\"\n"), "average");
    EXPECT_EQ(offence("step", "#include \"lento/march/recorder.hpp\"\n"), "march");
    EXPECT_EQ(offence("base", "#  include <lento/problem/mass.hpp>"), "problem");
    EXPECT_EQ(offence("solution", "#include \"judge/price.hpp\""), "judge");
    EXPECT_EQ(offence("judge", "#include \"lento/run/request.hpp\""), "run");
    EXPECT_EQ(offence("run", "#include \"method/motion.hpp\""), "method");
    EXPECT_EQ(offence("model", "#include \"step/verlet.hpp\""), "step");
    EXPECT_EQ(offence("method", "#include \"lento/model/model.hpp\""), "model");
    EXPECT_EQ(offence("nowhere", "#include \"lento/base/jet.hpp\""), "base");
    EXPECT_EQ(offence("average", "#include \"step/verlet.hpp\"\n#include \"lento/step/dense.hpp\""), std::nullopt);
    EXPECT_EQ(offence("model", "#include \"lento/run/request.hpp\""), std::nullopt);
    EXPECT_EQ(offence("output", "#include \"lento/model/model.hpp\""), std::nullopt);
}

TEST(Includes, private_headers_are_named_with_their_room_and_stay_private) {
    EXPECT_EQ(offence("march", "#include \"map_journey.hpp\""), "map_journey.hpp");
    EXPECT_EQ(offence("march", "#include \"march/map_journey.hpp\""), std::nullopt);
    EXPECT_EQ(offence("step", "#include \"step/verlet.hpp\"", Header::users), "step/verlet.hpp");
    EXPECT_EQ(offence("step", "#include \"lento/step/dense.hpp\"", Header::users), std::nullopt);
    EXPECT_EQ(offence("step", "#include <Eigen/Core>\n#include <math.h>", Header::ours), std::nullopt);
    EXPECT_EQ(offence("base", "#include <Eigen/Core>", Header::users), "Eigen/Core");
    EXPECT_EQ(offence("app", "#include \"terminal.hpp\"\n#include \"output/page.hpp\""), std::nullopt);
}

}  // namespace
