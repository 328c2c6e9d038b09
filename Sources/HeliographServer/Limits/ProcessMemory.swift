import Foundation
import Glibc

/// Memory of this process, and its limit.
struct ProcessMemory: ~Copyable {
    private let statistics: Int32
    private let pageBytes = Int64(sysconf(Int32(_SC_PAGESIZE)))

    init() { statistics = unsafe open("/proc/self/statm", O_RDONLY | O_CLOEXEC) }

    deinit { if statistics >= 0 { close(statistics) } }

    /// Resident and anonymous memory in bytes; nil if the kernel does not report it. Takes one system call.
    var used: Int64? {
        unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 128) { buffer in
            let count = unsafe pread(statistics, buffer.baseAddress, buffer.count, 0)
            guard count > 0 else { return nil }
            let words = unsafe String(decoding: buffer[..<count], as: UTF8.self).split(separator: " ")
            guard words.count > 2, let resident = Int64(words[1]), let ofFiles = Int64(words[2]) else { return nil }
            return (resident - ofFiles) * pageBytes
        }
    }

    /// The setting in megabytes or, if that is 0, three quarters of the machine's memory: the rest is for the cache of its files.
    /// Never more than this process's own limits allow, as it would be killed beyond them.
    static func budget(megabytes: Int) -> Int64 {
        let wished = megabytes > 0 ? Int64(megabytes) << 20 : machineBytes / 4 * 3
        return min(wished, granted)
    }

    private static var machineBytes: Int64 { Int64(sysconf(Int32(_SC_PHYS_PAGES))) * Int64(sysconf(Int32(_SC_PAGESIZE))) }

    /// The limit by control groups and by address space; of the latter a quarter, as each thread maps more than it uses.
    private static var granted: Int64 {
        var most = (ControlGroups.memoryBytes() ?? .max) / 4 * 3
        if let left = addressBytesLeft { most = min(most, (ProcessMemory().used ?? 0) + left / 4) }
        return most
    }

    /// Bytes that this process may still map; nil if there is no limit.
    static var addressBytesLeft: Int64? {
        var limit = rlimit()
        guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit) == 0, limit.rlim_cur < rlim_t(Int64.max),
            let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8),
            let pages = text.split(separator: " ").first.flatMap({ Int64($0) })
        else { return nil }
        return max(0, Int64(limit.rlim_cur) - pages * Int64(sysconf(Int32(_SC_PAGESIZE))))
    }

    /// Returns free memory to the system. Takes long if there is much, so do not call it on the loop. Swift's Glibc module lacks
    /// this call, and other allocators do not have it.
    static func giveBack() {
        typealias Trim = @convention(c) (Int) -> Int32
        guard let symbol = unsafe dlsym(nil, "malloc_trim") else { return }
        _ = unsafe unsafeBitCast(symbol, to: Trim.self)(0)
    }

    /// Takes the code that only the start needed out of this process's resident memory. It stays in the cache of files, from which
    /// the kernel maps again what is needed.
    static func giveBackCode() {
        guard let maps = try? String(contentsOfFile: "/proc/self/maps", encoding: .utf8) else { return }
        for line in maps.split(separator: "\n") {
            let words = line.split(separator: " ")
            // Only code is never written: other pages of a file may hold relocated addresses, which the file lacks.
            guard words.count == 6, words[1] == "r-xp", words[5].hasPrefix("/") else { continue }
            let ends = words[0].split(separator: "-").compactMap { UInt($0, radix: 16) }
            guard ends.count == 2, let start = unsafe UnsafeMutableRawPointer(bitPattern: ends[0]) else { continue }
            _ = unsafe madvise(start, Int(ends[1] - ends[0]), MADV_DONTNEED)
        }
    }
}
