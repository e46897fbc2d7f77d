// Makes gates, and makes the engine's own requests to the system: never with a name that a program chose.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "stdlib/gate/descriptor.hpp"
#include "stdlib/gate/gate.hpp"

namespace covec::gate {

Descriptor open_to_read(const std::string& path, int flags);
std::string folder_of(const std::string& path);  // up to the last slash, with it
double seconds_of(ops::Clock clock);
const char* environment(const char* name);

// Bytes of memory that this process may use: of the machine, its container and its address space.
uint64_t usable_memory();
// Cores that this thread may run on: taskset, Slurm and containers give a process some of the machine's.
unsigned usable_cores();

// Gives the core to others: for a time, or for a moment. It may be shorter.
void pause(std::chrono::microseconds time);
void give_way();
// For names of files that nobody else has.
uint64_t random_number();

}  // namespace covec::gate
