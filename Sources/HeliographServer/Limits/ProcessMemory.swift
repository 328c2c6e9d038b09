import Foundation
import Glibc

/// The memory of this process, and what it may come to.
struct ProcessMemory: ~Copyable {
    private let statistics: Int32
    private let pageBytes = Int64(sysconf(Int32(_SC_PAGESIZE)))

    init() { statistics = unsafe open("/proc/self/statm", O_RDONLY | O_CLOEXEC) }

    deinit { if statistics >= 0 { close(statistics) } }

    /// Resident and of no file, in bytes; nil where the kernel does not tell. One system call.
    var used: Int64? {
        unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 128) { buffer in
            let count = unsafe pread(statistics, buffer.baseAddress, buffer.count, 0)
            guard count > 0 else { return nil }
            let words = unsafe String(decoding: buffer[..<count], as: UTF8.self).split(separator: " ")
            guard words.count > 2, let resident = Int64(words[1]), let ofFiles = Int64(words[2]) else { return nil }
            return (resident - ofFiles) * pageBytes
        }
    }

    /// Three quarters of what the machine has, or of what its control groups (version 2) leave to this process: the rest is for the
    /// files that it reads and writes.
    static var budgetOfMachine: Int64 {
        var most = Int64(sysconf(Int32(_SC_PHYS_PAGES))) * Int64(sysconf(Int32(_SC_PAGESIZE)))
        let groups = (try? String(contentsOfFile: "/proc/self/cgroup", encoding: .utf8)) ?? ""
        var folder = groups.split(separator: "\n").first { $0.hasPrefix("0::/") }.map { $0.dropFirst("0::".count) } ?? ""
        while true {
            let file = "/sys/fs/cgroup\(folder == "/" ? "" : folder)/memory.max"
            // `max`, and no file at all, are no limit.
            if let text = try? String(contentsOfFile: file, encoding: .utf8), let bytes = Int64(text.filter(\.isNumber)) {
                most = min(most, bytes)
            }
            guard let end = folder.lastIndex(of: "/") else { break }
            folder = folder[..<end]
        }
        return most / 4 * 3
    }

    /// Takes long where there is much: not on the loop. Swift's Glibc leaves this call out, and other allocators have none.
    static func giveBack() {
        typealias Trim = @convention(c) (Int) -> Int32
        guard let symbol = unsafe dlsym(nil, "malloc_trim") else { return }
        _ = unsafe unsafeBitCast(symbol, to: Trim.self)(0)
    }
}
