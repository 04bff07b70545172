#include "terminal.hpp"

#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>

#include <fmt/format.h>

namespace lento::app {
namespace {

volatile std::sig_atomic_t interrupt_requested = 0;

std::string duration_text(double seconds) {
    if (seconds < 100) {
        return fmt::format("{:.0f} s", seconds);
    }
    return seconds < 6000 ? fmt::format("{:.0f} min", seconds / 60) : fmt::format("{:.1f} h", seconds / 3600);
}

constexpr int endings[] = {SIGINT, SIGTERM, SIGHUP};

/// NOTE: who started the program may have it ignore some of them, as nohup does: that stays.
void handle_endings(void (*handler)(int)) {
    for (const int ending : endings) {
        if (std::signal(ending, handler) == SIG_IGN) {
            std::signal(ending, SIG_IGN);
        }
    }
}

void erase_line() {
    fmt::print(stderr, "\r{:100}\r", "");
}

}  // namespace

Terminal::Terminal(std::FILE* stream) {
    const char* no_colour = std::getenv("NO_COLOR");
    const char* kind = std::getenv("TERM");
    colours_ = isatty(fileno(stream)) == 1 && (no_colour == nullptr || *no_colour == '\0') &&
               (kind == nullptr || std::string_view(kind) != "dumb");
}

std::string Terminal::painted(std::string_view text, std::string_view code) const {
    return colours_ ? fmt::format("\x1b[{}m{}\x1b[0m", code, text) : std::string(text);
}

Progress::Progress(std::string what, double t_start, double t_end)
    : what_(std::move(what)), t_start_(t_start), t_end_(t_end), visible_(isatty(STDERR_FILENO) == 1) {
    handle_endings([](int ending) {
        interrupt_requested = 1;
        std::signal(ending, SIG_DFL);
    });
}

Progress::~Progress() {
    handle_endings(SIG_DFL);
    if (printed_) {
        erase_line();
    }
}

void Progress::operator()(double t) {
    if (interrupt_requested != 0) {
        source_.request_stop();
    }
    if (!visible_) {
        return;
    }
    const auto now = std::chrono::steady_clock::now();
    const double elapsed = std::chrono::duration<double>(now - began_).count();
    if (elapsed >= 2 && now - shown_ >= std::chrono::milliseconds(200)) {
        shown_ = now;
        show(t, elapsed);
    }
}

Waiting::Waiting(const std::string& what) : printed_(isatty(STDERR_FILENO) == 1) {
    if (printed_) {
        fmt::print(stderr, "  {} ...", what);
        std::fflush(stderr);
    }
}

void Waiting::over() {
    if (printed_) {
        erase_line();
        printed_ = false;
    }
}

void Progress::show(double t, double elapsed) {
    constexpr int length = 24;
    const double share = std::clamp((t - t_start_) / (t_end_ - t_start_), 0.0, 1.0);
    const auto done = static_cast<std::size_t>(share * length);
    const std::string left = share > 0 ? duration_text(elapsed * (1 - share) / share) + " left" : "";
    erase_line();
    fmt::print(stderr, "  {} [{}{}] {:.1f} %, t = {:.4g} of {:.4g}, {}", what_, std::string(done, '='),
               std::string(length - done, ' '), 100 * share, t, t_end_, left);
    std::fflush(stderr);
    printed_ = true;
}

}  // namespace lento::app
