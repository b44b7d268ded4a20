"""The scale, the gate and the memory of a simulated silo. Replace this file by the drivers of yours."""
import json, os, time


class Hardware:
    def __init__(self, memory_file):
        self.memory_file, self.weight_kg, self.moved_kg = memory_file, 500, 0
        self.is_open, self.kg_per_s, self.limit_kg, self.closes_at, self.read_at = False, 0, 0, 0, 0

    def open_gate(self, kind, kg_per_min, limit_kg, limit_s):
        """The gate closes by itself when a limit is reached, also while the program hangs."""
        self.moved_kg, self.limit_kg, self.read_at = 0, limit_kg, time.monotonic()
        self.kg_per_s, self.closes_at = kg_per_min / 60 * (1 if kind == "feed" else -1), self.read_at + limit_s
        self.is_open = True

    def close_gate(self):
        self.read()
        self.is_open = False

    def read(self):
        if self.is_open:
            now = min(time.monotonic(), self.closes_at)
            step_kg = min(abs(self.kg_per_s) * (now - self.read_at), self.limit_kg - self.moved_kg)
            self.moved_kg, self.read_at = self.moved_kg + step_kg, now
            self.weight_kg += step_kg if self.kg_per_s > 0 else -step_kg
            self.is_open = self.moved_kg < self.limit_kg and now < self.closes_at
        return {"weight": round(self.weight_kg, 3), "temperature": 18.5, "humidity": 61}

    def load(self):
        if not os.path.exists(self.memory_file):
            return {}
        with open(self.memory_file) as file:
            return json.load(file)

    def save(self, memory):
        """A loss of power leaves the old file or the new one: it is renamed when it is on the disk."""
        with open(self.memory_file + ".new", "w") as file:
            json.dump(memory, file)
            file.flush()
            os.fsync(file.fileno())
        os.replace(self.memory_file + ".new", self.memory_file)
