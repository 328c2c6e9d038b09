import ArgumentParser

/// `heliograph push`
struct Push: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Look at what goes to phones through Apple's push service.",
        subcommands: [PushPreview.self])
}
