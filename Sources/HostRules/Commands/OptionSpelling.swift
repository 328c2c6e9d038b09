/// The ways in which programs let options be written.
enum OptionSpelling {
    /// True if the arguments may give the option: `-rf` also as `-fr`, `-r -f`, `-rfv` and `--recursive --force`, `--force` also as
    /// `-f`, `--forc` and `--force=…`.
    static func mayGive(_ option: String, _ arguments: ArraySlice<ShellWord>) -> Bool {
        let given = arguments.filter(\.isKnown).map { $0.text.lowercased() }.filter { $0.hasPrefix("-") }
        let option = option.lowercased()
        if given.contains(option) { return true }
        let letters = Set(given.flatMap { $0.hasPrefix("--") ? Array($0.dropFirst(2).prefix(1)) : Array($0.dropFirst()) })
        guard option.hasPrefix("--") else { return option != "-" && option.dropFirst().allSatisfy(letters.contains) }
        let name = option.prefix { $0 != "=" }
        let isShort = given.contains { word in
            !word.hasPrefix("--") && name.dropFirst(2).first.map(word.contains) == true
        }
        return isShort || given.contains { name.count > 2 && $0.count > 2 && name.hasPrefix($0.prefix { $0 != "=" }) }
    }
}
