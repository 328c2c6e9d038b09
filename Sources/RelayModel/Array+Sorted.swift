extension Array {
    /// The first of which this holds; the end where it holds of none. In an array in which all of which it holds come after all others.
    /// Looks at a few.
    @inlinable package func firstIndexOfSorted(where holds: (Element) -> Bool) -> Int {
        var (low, high) = (startIndex, endIndex)
        while low < high {
            let middle = (low + high) / 2
            if holds(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
