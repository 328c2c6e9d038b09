import ArgumentParser

/// A limit of a workspace as people say it: a number, or `default` for the relay's own setting.
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

    /// Nil: the relay's own setting.
    var number: Int? { if case .number(let number) = self { number } else { nil } }

    /// Throws if the number is more than a setting of this kind takes.
    static func check(_ option: LimitOption?, _ name: String, max: Int) throws {
        guard (option?.number ?? 1) <= max else { throw ValidationError("\(name) takes 1 to \(max), or default.") }
    }
}
