internal import Glibc

/// The soft limit on this process's open descriptors.
enum DescriptorLimit {
    static var current: UInt64 { limit.map { UInt64($0.rlim_cur) } ?? 1_024 }

    /// Returns true if it was higher.
    static func lower(to most: UInt64) -> Bool {
        guard var limit, limit.rlim_cur > most else { return false }
        limit.rlim_cur = rlim_t(most)
        return unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0
    }

    private static var limit: rlimit? {
        var limit = rlimit()
        return unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 ? limit : nil
    }
}
