/// What pages are made of besides data: files of `page/` and of uPlot, put into the program when it is built.
#pragma once

#include <string_view>

namespace lento::page {

extern const std::string_view style, mechanism_script, script, chart_style, chart_script;

}  // namespace lento::page
