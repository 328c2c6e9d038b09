internal import Glibc

/// Replaces this process's program by another one.
package enum ProgramExchange {
    /// Looks `program` up in `PATH` if it has no slash; `words[0]` is the name that it gets. Returns only on failure, with the
    /// error number.
    package static func become(_ program: String, _ words: [String]) -> Int32 {
        // The strings are not freed: on success the memory is gone, and on failure the callers exit.
        var arguments: [UnsafeMutablePointer<CChar>?] = unsafe words.map { unsafe strdup($0) } + [nil]
        unsafe execvp(program, &arguments)
        return errno
    }
}
