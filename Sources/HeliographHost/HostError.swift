internal import Glibc

/// Why the host side could not do what it was asked.
package struct HostError: Error, CustomStringConvertible {
    package enum Code: Sendable {
        /// Another daemon holds this state directory.
        case alreadyRunning
        /// A file or directory of ours cannot be used.
        case file
        /// Something is longer than what keeps it takes.
        case tooLong
        /// The configuration file, an address or a link says something that cannot be.
        case badConfiguration
        /// This machine is not paired yet.
        case notPaired
        /// The relay refused the pairing.
        case pairing
        /// Nothing that can be trusted answers at the relay's address.
        case unreachable
        /// Invalid arguments.
        case badInput
        /// The daemon said no, and why.
        case refused
        /// Another program has the session open.
        case sessionOpen
        /// A program cannot be started; `number` says why.
        case notStarted
        /// This process is not set up as it must be.
        case system
    }

    package let code: Code
    /// The system's error number, if it is an error of the system.
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

    /// With `notStarted`: the status that a shell would end with.
    var shellStatus: Int32 { number == ENOENT ? 127 : 126 }

    package var description: String { message }
}
