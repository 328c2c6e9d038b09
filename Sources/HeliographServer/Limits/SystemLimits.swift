internal import Glibc

/// System resources that a relay needs before it may report that it listens. Without them it would refuse every peer, or stop
/// working without an error.
enum SystemLimits {
    /// The engine reserves 64 descriptors for the store, pushes and logs; the rest is for connections, of which a page opens
    /// several.
    static let descriptorsMin: rlim_t = 256
    /// Threads besides the loops: for the store, its readers, pushes, reports, and Dispatch.
    static let otherThreadsMin = 16
    /// Bytes that a relay for a hundred people maps in addition to those at its start, mostly arenas of its threads.
    static let addressBytesMin: Int64 = 256 << 20

    static func check(loops: Int) throws(ServerError) {
        try checkDescriptors()
        try checkAddresses()
        try checkThreads(loops + otherThreadsMin)
    }

    /// Raises the soft limit of open files as far as allowed; throws if that is not enough.
    private static func checkDescriptors() throws(ServerError) {
        var limit = rlimit()
        guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0, limit.rlim_cur < descriptorsMin else {
            return
        }
        let granted = limit.rlim_cur
        limit.rlim_cur = descriptorsMin
        if descriptorsMin <= limit.rlim_max, unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 {
            return
        }
        throw ServerError(
            .machine,
            """
            The relay may open \(granted) files (ulimit -n) and needs \(descriptorsMin) at least, as each connection is one: raise the \
            limit by `ulimit -n 4096`, or by LimitNOFILE= where systemd starts it.
            """)
    }

    private static func checkAddresses() throws(ServerError) {
        guard let left = ProcessMemory.addressBytesLeft, left < addressBytesMin else { return }
        throw ServerError(
            .machine,
            """
            The relay may map \(left >> 20) MB of addresses more (ulimit -v) and needs \(addressBytesMin >> 20) at least: raise that limit, \
            or limit its memory by --limits-memory-megabytes or a control group (MemoryMax= of systemd) instead.
            """)
    }

    /// Starts this many threads at once, and ends them: if one could not be started later, its work would wait for ever.
    private static func checkThreads(_ count: Int) throws(ServerError) {
        // Each thread waits at this mutex until it is unlocked.
        let authenticator = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
        defer { unsafe authenticator.deallocate() }
        unsafe pthread_mutex_init(authenticator, nil)
        unsafe pthread_mutex_lock(authenticator)
        var threads: [pthread_t] = []
        var code: Int32 = 0
        while threads.count < count, code == 0 {
            var thread = pthread_t()
            code = unsafe pthread_create(
                &thread, nil,
                { authenticator in
                    guard let authenticator = unsafe authenticator?.assumingMemoryBound(to: pthread_mutex_t.self) else {
                        return nil
                    }
                    unsafe pthread_mutex_lock(authenticator)
                    unsafe pthread_mutex_unlock(authenticator)
                    return nil
                }, authenticator)
            if code == 0 { threads.append(thread) }
        }
        unsafe pthread_mutex_unlock(authenticator)
        for thread in threads { pthread_join(thread, nil) }
        unsafe pthread_mutex_destroy(authenticator)
        guard code != 0 else { return }
        throw ServerError(
            .machine,
            """
            The relay may have \(threads.count) threads more and needs \(count): raise the limit of processes (ulimit -u, TasksMax= of \
            systemd, pids.max of a control group), or of address space (ulimit -v) where there is one.
            """)
    }
}
