/// What is for terminals alone: colours, how far a run has come, Ctrl-C.
#pragma once

#include <chrono>
#include <cstdio>
#include <stop_token>
#include <string>
#include <string_view>

namespace lento::app {

/// Colours, on terminals that want them: not where output goes into a file, nor where NO_COLOR is set.
class Terminal {
public:
    explicit Terminal(std::FILE* stream);

    std::string good(std::string_view text) const { return painted(text, "32"); }
    std::string bad(std::string_view text) const { return painted(text, "31;1"); }
    std::string warning(std::string_view text) const { return painted(text, "33"); }
    std::string strong(std::string_view text) const { return painted(text, "1"); }
    std::string soft(std::string_view text) const { return painted(text, "2"); }

private:
    std::string painted(std::string_view text, std::string_view code) const;

    bool colours_;
};

/// Shows how far a run has come, after two seconds. Meanwhile one Ctrl-C, SIGTERM or SIGHUP asks the run to stop, a
/// second one ends the program.
class Progress {
public:
    /// `what` is being done, from t_start to t_end.
    Progress(std::string what, double t_start, double t_end);
    ~Progress();
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;

    std::stop_token token() const { return source_.get_token(); }
    void operator()(double t);

private:
    void show(double t, double elapsed);

    std::string what_;
    double t_start_, t_end_;
    std::stop_source source_;
    bool visible_;
    bool printed_ = false;
    std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
    std::chrono::steady_clock::time_point shown_ = began_;
};

/// Says on a terminal what is being done while one of these lives, where no share of it is known.
class Waiting {
public:
    explicit Waiting(const std::string& what);
    ~Waiting() { over(); }
    Waiting(const Waiting&) = delete;
    Waiting& operator=(const Waiting&) = delete;

    void over();

private:
    bool printed_;
};

}  // namespace lento::app
