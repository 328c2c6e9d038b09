import ArgumentParser

/// A limit of a workspace on the command line: a number, or `default` for the relay's own setting.
enum LimitOption: ExpressibleByArgument {
    case number(Int)
    case standard

    init?(argument: String) {
        if argument == "default" {
            self = .standard
        } else if let number = Int(argument), number > 0 {
            self = .number(number)
        } else {
            return nil
        }
    }

    /// The number; nil for the relay's own setting.
    var number: Int? { if case .number(let number) = self { number } else { nil } }

    /// Throws if the number is larger than this setting permits.
    static func check(_ option: LimitOption?, _ name: String, max: Int) throws {
        guard (option?.number ?? 1) <= max else { throw ValidationError("\(name) takes 1 to \(max), or default.") }
    }
}
