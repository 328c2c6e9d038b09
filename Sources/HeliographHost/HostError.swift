internal import Glibc

/// The reason why the host side could not do something.
package struct HostError: Error, CustomStringConvertible {
    package enum Code: Sendable {
        /// Another daemon holds this state directory.
        case alreadyRunning
        /// A file or directory of ours cannot be used.
        case file
        /// Something is longer than its place permits.
        case tooLong
        /// The configuration file, an address or a link is not valid.
        case badConfiguration
        /// This machine is not paired yet.
        case notPaired
        /// The relay refused the pairing.
        case pairing
        /// No trusted relay answers at the address.
        case unreachable
        /// Invalid arguments.
        case badInput
        /// The daemon refused, and gave the reason.
        case refused
        /// Another program has the session open.
        case sessionOpen
        /// A program cannot be started; `number` is the reason.
        case notStarted
        /// The environment of this process is not as required.
        case system
    }

    package let code: Code
    /// The system's error number, for errors of the system.
    var number: Int32?
    /// A sentence for the person at the terminal; never a token.
    package let message: String

    package init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// The error of the last system call about `path`.
    static func file(_ action: String, _ path: String, _ number: Int32 = errno) -> HostError {
        var error = HostError(.file, "cannot \(action) \(path): \(unsafe String(cString: strerror(number)))")
        error.number = number
        return error
    }

    static func notStarted(_ command: String, _ number: Int32) -> HostError {
        var error = HostError(.notStarted, "\(command) cannot be started: \(unsafe String(cString: strerror(number)))")
        error.number = number
        return error
    }

    /// The status with which a shell would end, for `notStarted`.
    var shellStatus: Int32 { number == ENOENT ? 127 : 126 }

    package var description: String { message }
}
