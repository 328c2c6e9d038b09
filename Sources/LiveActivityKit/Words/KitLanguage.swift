import Foundation

/// The languages of the kit's own words. The app's is the person's choice among those that its Info.plist names.
package enum KitLanguage {
    private static let english = EnglishKitWords()
    private static let known: [String: any KitWords] = ["en": english, "de": GermanKitWords()]

    package static var all: [any KitWords] { Array(known.values) }

    /// `tag`: BCP 47; nil for the app's language. English for a language that has no words here.
    package static func words(_ tag: String? = nil) -> any KitWords {
        let tag = tag ?? Bundle.main.preferredLocalizations.first
        return tag?.split(separator: "-").first.flatMap { known[$0.lowercased()] } ?? english
    }
}
