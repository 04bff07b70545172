/// Where the source of Lento is.
#pragma once

#include <filesystem>

extern const std::filesystem::path source_dir;
