internal import Glibc

package enum Boot {
    /// Identifies this start of the machine, from which its steady clocks count; empty if the kernel does not say.
    package static var name: String {
        let descriptor = unsafe open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return "" }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 64)
        let count = unsafe read(descriptor, &bytes, bytes.count)
        return String(decoding: bytes.prefix(max(0, count)).prefix { $0 > UInt8(ascii: " ") }, as: UTF8.self)
    }
}
