// Records the results of distribution/reference 0.6.0 for image references. Reads a JSON list of references from standard input
// and writes the results to standard output. Run it in a module that requires that version.
package main

import (
	_ "crypto/sha256"
	_ "crypto/sha512"
	"encoding/json"
	"os"

	"github.com/distribution/reference"
)

func main() {
	var inputs []string
	if err := json.NewDecoder(os.Stdin).Decode(&inputs); err != nil {
		panic(err)
	}
	answers := []map[string]any{}
	for _, input := range inputs {
		answer := map[string]any{"input": input}
		if named, err := reference.ParseNormalizedNamed(input); err != nil {
			answer["error"] = err.Error()
		} else {
			answer["domain"] = reference.Domain(named)
			answer["path"] = reference.Path(named)
			if tagged, ok := named.(reference.Tagged); ok {
				answer["tag"] = tagged.Tag()
			}
			if digested, ok := named.(reference.Digested); ok {
				answer["digest"] = digested.Digest().String()
			}
		}
		answers = append(answers, answer)
	}
	encoder := json.NewEncoder(os.Stdout)
	encoder.SetIndent("", " ")
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(answers); err != nil {
		panic(err)
	}
}
