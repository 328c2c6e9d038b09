/// The labels of choices, as people see them.
package enum ShownLabels {
    /// Labels that look alike, because what differed was hidden, get a number each: a person who chooses one must mean that one.
    package static func apart(_ labels: [String]) -> [String] {
        // Swift's own equality: what looks alike in other bytes is alike, too.
        let counts = Dictionary(labels.map { (TextCut.trim($0), 1) }, uniquingKeysWith: +)
        var taken = Set(counts.keys)
        return labels.map { label in
            guard counts[TextCut.trim(label)] != 1 else { return label }
            var number = 1
            while !taken.insert("\(TextCut.trim(label)) (\(number))").inserted { number += 1 }
            return "\(TextCut.trim(label)) (\(number))"
        }
    }
}
