import Foundation
import Glibc

/// The memory of this process, and what it may come to.
struct ProcessMemory: ~Copyable {
    private let statistics: Int32
    private let pageBytes = Int64(sysconf(Int32(_SC_PAGESIZE)))

    init() { statistics = unsafe open("/proc/self/statm", O_RDONLY | O_CLOEXEC) }

    deinit { if statistics >= 0 { close(statistics) } }

    /// Resident and anonymous memory in bytes; nil if the kernel does not say. One system call.
    var used: Int64? {
        unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 128) { buffer in
            let count = unsafe pread(statistics, buffer.baseAddress, buffer.count, 0)
            guard count > 0 else { return nil }
            let words = unsafe String(decoding: buffer[..<count], as: UTF8.self).split(separator: " ")
            guard words.count > 2, let resident = Int64(words[1]), let ofFiles = Int64(words[2]) else { return nil }
            return (resident - ofFiles) * pageBytes
        }
    }

    /// The setting in megabytes or, if that is 0, three quarters of the machine's memory: the rest is for the files that it reads and
    /// writes. Never more than this process's own limits leave, beyond which it would be killed.
    static func budget(megabytes: Int) -> Int64 {
        let wished = megabytes > 0 ? Int64(megabytes) << 20 : machineBytes / 4 * 3
        return min(wished, granted)
    }

    private static var machineBytes: Int64 { Int64(sysconf(Int32(_SC_PHYS_PAGES))) * Int64(sysconf(Int32(_SC_PAGESIZE))) }

    /// By control groups and the limit of addresses; of the latter a quarter, as each thread maps more than it ever uses.
    private static var granted: Int64 {
        var most = (ControlGroups.memoryBytes() ?? .max) / 4 * 3
        if let left = addressBytesLeft { most = min(most, (ProcessMemory().used ?? 0) + left / 4) }
        return most
    }

    /// Bytes that this process may still map; nil if that has no limit.
    static var addressBytesLeft: Int64? {
        var limit = rlimit()
        guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit) == 0, limit.rlim_cur < rlim_t(Int64.max),
            let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8),
            let pages = text.split(separator: " ").first.flatMap({ Int64($0) })
        else { return nil }
        return max(0, Int64(limit.rlim_cur) - pages * Int64(sysconf(Int32(_SC_PAGESIZE))))
    }

    /// Takes long if there is much: not on the loop. Swift's Glibc leaves this call out, and other allocators have none.
    static func giveBack() {
        typealias Trim = @convention(c) (Int) -> Int32
        guard let symbol = unsafe dlsym(nil, "malloc_trim") else { return }
        _ = unsafe unsafeBitCast(symbol, to: Trim.self)(0)
    }
}
