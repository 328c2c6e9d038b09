public import Foundation

/// Money, counts and times as people read them. `language`: a BCP 47 tag; nil for the app's.
public enum CardText {
    /// `$0.41`; less than a cent is `<$0.01`.
    public static func dollars(microUSD: Int64, language: String? = nil) -> String {
        dollars(microUSD, KitLanguage.words(language))
    }

    static func dollars(_ microUSD: Int64, _ words: any KitWords) -> String {
        if microUSD > 0, microUSD < 10_000 { return "<" + words.dollars("0\(words.decimalMark)01") }
        let cents = microUSD.magnitude / 10_000 + (microUSD.magnitude % 10_000 >= 5_000 ? 1 : 0)
        let amount = "\(cents / 100)\(words.decimalMark)\(cents % 100 < 10 ? "0" : "")\(cents % 100)"
        return (microUSD < 0 && cents > 0 ? "-" : "") + words.dollars(amount)
    }

    /// `$0.41`, `~$2.00 guessed`, `$0.41 + ~$2.00 guessed`; nil if nothing is known. A guess is never shown as a cost.
    public static func cost(microUSD: Int64?, estimate: Int64?, language: String? = nil) -> String? {
        let words = KitLanguage.words(language)
        let guess = estimate.map { words.guessed(dollars($0, words)) }
        let parts = [known(microUSD: microUSD, estimate: estimate).map { dollars($0, words) }, guess].compactMap(\.self)
        return parts.isEmpty ? nil : parts.joined(separator: " + ")
    }

    /// The known cost; nil also if all of it is guessed.
    static func known(microUSD: Int64?, estimate: Int64?) -> Int64? { microUSD == 0 && estimate != nil ? nil : microUSD }

    /// `3 s`, `20 min`, `2 h 5 min`, `4 d`. A time in the future is `0 s`: the clocks of two machines differ.
    public static func duration(_ seconds: TimeInterval) -> String {
        guard seconds.isFinite, seconds >= 1 else { return "0 s" }
        let whole = Int64(min(seconds, 1e12))
        if whole < 60 { return "\(whole) s" }
        if whole < 3_600 { return "\(whole / 60) min" }
        if whole < 86_400 { return whole % 3_600 < 60 ? "\(whole / 3_600) h" : "\(whole / 3_600) h \(whole % 3_600 / 60) min" }
        return "\(whole / 86_400) d"
    }

    /// `just now`, `12 min ago`.
    public static func age(of moment: Date, at now: Date, language: String? = nil) -> String {
        let seconds = now.timeIntervalSince(moment)
        let words = KitLanguage.words(language)
        return seconds < 5 ? words.justNow : words.ago(duration(seconds))
    }

    /// The duration for a screen reader: `1 minute`, `2 hours and 5 minutes`.
    public static func spokenDuration(_ seconds: TimeInterval, language: String? = nil) -> String {
        spokenDuration(seconds, KitLanguage.words(language))
    }

    static func spokenDuration(_ seconds: TimeInterval, _ words: any KitWords) -> String {
        guard seconds.isFinite, seconds >= 1 else { return words.spokenSeconds(0) }
        let whole = Int(min(seconds, 1e12))
        if whole < 60 { return words.spokenSeconds(whole) }
        if whole < 3_600 { return words.spokenMinutes(whole / 60) }
        if whole >= 86_400 { return words.spokenDays(whole / 86_400) }
        let hours = words.spokenHours(whole / 3_600)
        return whole % 3_600 < 60 ? hours : words.and(hours, words.spokenMinutes(whole % 3_600 / 60))
    }

    /// Progress from 0 to 1; nil if there is nothing to do.
    public static func fraction(_ progress: HeliographActivityAttributes.Progress) -> Double? {
        guard progress.total > 0 else { return nil }
        return min(1, max(0, Double(progress.completed) / Double(progress.total)))
    }

    /// `3/7`.
    public static func progress(_ progress: HeliographActivityAttributes.Progress) -> String {
        "\(progress.completed)/\(progress.total)"
    }

    /// Adds a full stop unless the text ends with punctuation.
    static func sentence(_ text: String) -> String {
        let trimmed = text.trimmingCharacters(in: .whitespacesAndNewlines)
        guard let last = trimmed.last else { return "" }
        return ".!?…".contains(last) ? trimmed : trimmed + "."
    }
}
