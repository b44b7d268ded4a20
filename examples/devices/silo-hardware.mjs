/** The scale, the gate and the memory of a simulated silo. Replace this file by the drivers of yours. */
import { closeSync, existsSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs';

export class Hardware {
  isOpen = false;
  movedKg = 0;
  limitKg = 0;
  #memoryFile;
  #weightKg = 500;
  #kgPerS = 0;
  #closesAt = 0;
  #readAt = 0;

  constructor(memoryFile) {
    this.#memoryFile = memoryFile;
  }

  /** Opens the gate, which closes by itself when a limit is reached, also while the program hangs. */
  openGate(type, kgPerMin, limitKg, limitS) {
    this.movedKg = 0;
    this.limitKg = limitKg;
    this.#kgPerS = (kgPerMin / 60) * (type === 'feed' ? 1 : -1);
    this.#readAt = performance.now();
    this.#closesAt = this.#readAt + limitS * 1000;
    this.isOpen = true;
  }

  closeGate() {
    this.read();
    this.isOpen = false;
  }

  read() {
    if (this.isOpen) {
      const now = Math.min(performance.now(), this.#closesAt);
      const seconds = (now - this.#readAt) / 1000;
      const stepKg = Math.min(Math.abs(this.#kgPerS) * seconds, this.limitKg - this.movedKg);
      this.movedKg += stepKg;
      this.#weightKg += this.#kgPerS > 0 ? stepKg : -stepKg;
      this.#readAt = now;
      this.isOpen = this.movedKg < this.limitKg && now < this.#closesAt;
    }
    return { weight: Number(this.#weightKg.toFixed(3)), temperature: 18.5, humidity: 61 };
  }

  load() {
    return existsSync(this.#memoryFile) ? JSON.parse(readFileSync(this.#memoryFile, 'utf8')) : [];
  }

  /** Writes a new file and renames it when it is on the disk, so that a loss of power leaves the old file or the new one. */
  save(memory) {
    const file = openSync(`${this.#memoryFile}.new`, 'w');
    writeSync(file, JSON.stringify(memory));
    fsyncSync(file);
    closeSync(file);
    renameSync(`${this.#memoryFile}.new`, this.#memoryFile);
  }
}
