internal import Glibc

/// Makes this process another program.
package enum ProgramExchange {
    /// `program` is looked up in `PATH` if it has no slash; `words[0]` is its own name for itself. Returns only if that fails, with the
    /// error's number.
    package static func become(_ program: String, _ words: [String]) -> Int32 {
        // The strings live until the program is another one, or for good if it is not: callers end then.
        var arguments: [UnsafeMutablePointer<CChar>?] = unsafe words.map { unsafe strdup($0) } + [nil]
        unsafe execvp(program, &arguments)
        return errno
    }
}
