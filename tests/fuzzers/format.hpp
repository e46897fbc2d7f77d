#pragma once

// ".npy", ".npz", ".safetensors", ".csv"; ".table", a CSV file with columns of text and dates; ".json", ".png", ".jpg",
// ".wav".
extern const char* const covec_format;
