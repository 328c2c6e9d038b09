/// Why a database did not do what it was asked to.
package struct PostgresError: Error, Sendable {
    package enum Code: Sendable, Hashable {
        /// libpq is not installed, or too old.
        case missingLibrary
        /// No answer in time, or none that allows to go on. Nothing was requested yet.
        case cannotConnect
        /// The database said no to a statement: nothing of its transaction is there. The connection goes on.
        case refused
        /// The connection ended, by its own or because the answer did not come in time. Nobody knows whether a transaction that was under
        /// way is there.
        case lost
    }

    package let code: Code
    package let message: String
    /// The SQLSTATE, five characters, if the database sent one.
    package let state: String?
    /// The constraint that a row violates, if that is the error.
    package let constraint: String?

    package init(_ code: Code, _ message: String, state: String? = nil, constraint: String? = nil) {
        self.code = code
        self.message = message
        self.state = state
        self.constraint = constraint
    }
}

extension PostgresError: CustomStringConvertible {
    package var description: String { state.map { "\(message) (SQLSTATE \($0))" } ?? message }
}
