internal import CHeliographLinux
internal import Glibc

/// Resource use of a process on this machine, as the kernel counts it.
final class ProcessGauge {
    private let process: Int32
    /// A counter for each thread that existed at the start, which includes threads created by it. Empty if the kernel does not
    /// permit it.
    private var counters: [Int32] = []

    init(_ process: Int32) throws(BenchError) {
        self.process = process
        _ = try residentKiB
        guard let text = Self.text("/sys/kernel/tracing/events/raw_syscalls/sys_enter/id"),
            let tracepoint = UInt64(text.prefix { $0.isNumber })
        else { return }
        for thread in Self.names("/proc/\(process)/task").compactMap(Int32.init) {
            let counter = clinux_count_system_calls(thread, tracepoint)
            if counter >= 0 { counters.append(counter) }
        }
    }

    deinit { for counter in counters { close(counter) } }

    /// Processor time of all its threads, in user and kernel mode, in steps of 10 ms.
    var processorSeconds: Double {
        get throws(BenchError) {
            // The name may contain any character, also parentheses, so fields are counted from the last one.
            let stat = try read("stat")
            let fields = stat[(stat.lastIndex(of: ")") ?? stat.startIndex)...].split(separator: " ")
            guard fields.count > 13, let user = Double(fields[12]), let system = Double(fields[13]) else {
                throw BenchError(.system, "/proc/\(process)/stat cannot be read")
            }
            return (user + system) / Double(sysconf(Int32(_SC_CLK_TCK)))
        }
    }

    var residentKiB: Int { get throws(BenchError) { try kib("VmRSS:") } }

    var peakKiB: Int { get throws(BenchError) { try kib("VmHWM:") } }

    /// Nil if the kernel does not permit counting.
    var systemCalls: UInt64? {
        guard !counters.isEmpty else { return nil }
        return counters.reduce(0) { sum, counter in
            var value: UInt64 = 0
            let count = unsafe Glibc.read(counter, &value, MemoryLayout<UInt64>.size)
            return count == MemoryLayout<UInt64>.size ? sum + value : sum
        }
    }

    private func kib(_ name: String) throws(BenchError) -> Int {
        let status = try read("status")
        guard let line = status.split(separator: "\n").first(where: { $0.hasPrefix(name) }),
            let value = Int(line.dropFirst(name.count).filter(\.isNumber))
        else { throw BenchError(.system, "/proc/\(process)/status has no \(name)") }
        return value
    }

    private func read(_ file: String) throws(BenchError) -> String {
        guard let text = Self.text("/proc/\(process)/\(file)") else {
            throw BenchError(.system, "process \(process) is not there, or is another user's")
        }
        return text
    }

    /// Reads a small file of the kernel at once.
    private static func text(_ path: String) -> String? {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var buffer = [UInt8](repeating: 0, count: 8 << 10)
        let count = unsafe buffer.withUnsafeMutableBytes { unsafe Glibc.read(descriptor, $0.baseAddress, $0.count) }
        return count > 0 ? String(decoding: buffer.prefix(count), as: UTF8.self) : nil
    }

    private static func names(_ folder: String) -> [String] {
        guard let directory = unsafe opendir(folder) else { return [] }
        defer { unsafe closedir(directory) }
        var names: [String] = []
        while let entry = unsafe readdir(directory) {
            names.append(
                unsafe withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                    unsafe pointer.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
                })
        }
        return names
    }
}

/// Resource use of this program.
enum OwnUse {
    static var processorSeconds: Double {
        Double(clinux_processor_nanoseconds()) / 1e9
    }

    /// Raises the limit of descriptors as far as the system permits. Returns the limit of this process.
    static func raiseDescriptorLimit() -> Int {
        var limit = rlimit()
        unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        limit.rlim_cur = limit.rlim_max
        unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        return Int(clamping: limit.rlim_cur)
    }
}
