/// Why a folder cannot be used as it has to be, as a sentence that says how to mend it if a person can.
package struct FolderError: Error {
    package let message: String
    /// The error of the system call, if one failed.
    package let number: Int32?
}
