internal import HeliographPostgreSQL
internal import RelayCore

extension LogError {
    /// Maps an error, the database's or ours, of a query or of a transaction that did not reach its commit, so that nothing can
    /// have been stored.
    init(_ error: any Error) {
        if let known = error as? LogError {
            self = known
        } else if let error = error as? PostgresError {
            self.init(Self.code(of: error), Self.message(of: error), underlying: error)
        } else {
            self.init(.unreachable(isPassing: false), "The database cannot be used.", underlying: error)
        }
    }

    /// Maps an error of a commit: unless the database refused, the outcome is unknown.
    init(ofCommit error: PostgresError) {
        guard error.code == .lost else {
            self.init(error)
            return
        }
        self.init(
            .inDoubt,
            "The database did not say whether it has committed: \(error.message) It may be done, now or when a standby is back: look before you do it again.",
            underlying: error)
    }

    /// The database has committed with a warning: the standby that should have the commit may not have it.
    init(warning: String) { self.init(.inDoubt, "It is done, but the database warns of its commit: \(warning)") }

    private static func code(of error: PostgresError) -> Code {
        switch error.code {
        case .missingLibrary: return .unreachable(isPassing: false)
        case .cannotConnect, .lost: return .unreachable(isPassing: true)
        case .refused: break
        }
        let state = error.state ?? ""
        switch state {
        case SQLState.fenced: return .fenced
        case SQLState.notWhereItWas: return .conflict
        case "53100": return .full
        // A standby, or a database set to read-only: works again once it is promoted, or another one is found.
        case "25006": return .unreachable(isPassing: true)
        case "XX001", "XX002": return .damaged(.store)
        default: break
        }
        // Classes: invalid data, constraints, resources, locks, operator intervention; everything else needs a person.
        switch state.prefix(2) {
        case "22": return .unfit
        case "23": return .conflict
        case "40", "53", "55", "57": return .unreachable(isPassing: true)
        default: return .unreachable(isPassing: false)
        }
    }

    private static func message(of error: PostgresError) -> String {
        switch error.code {
        case .missingLibrary: error.message
        case .cannotConnect: "The database cannot be reached: \(error.message)"
        case .lost: "The connection to the database was lost: \(error.message)"
        case .refused:
            switch error.state {
            case SQLState.fenced: "Another relay has taken over: \(error.message)."
            case "53100": "The database's disk is full."
            case SQLState.lockNotAvailable:
                "Another change of the database does not come to its end, perhaps because a standby is away. Nothing was done; try again."
            case "25006": "The database takes no writes: it is a standby, or was told so."
            default: "The database refused: \(error.message)."
            }
        }
    }
}

/// SQLSTATEs of our own functions; see `Schema`.
enum SQLState {
    static let fenced = "HG001"
    static let notWhereItWas = "HG002"
    static let uniqueViolation = "23505"
    static let lockNotAvailable = "55P03"
}
