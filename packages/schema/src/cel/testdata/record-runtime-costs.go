// Records what the rules of custom resources cost in Kubernetes 1.36: a JSON list of cases on standard input, the
// answers on standard output. Run it in a module that requires k8s.io/apiextensions-apiserver v0.36.3.
package main

import (
	"context"
	"encoding/json"
	"os"
	"strings"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	v1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
)

type testCase struct {
	Schema v1.JSONSchemaProps `json:"schema"`
	Object json.RawMessage    `json:"object"`
}

type answer struct {
	Cost   int64    `json:"cost"`
	Errors []string `json:"errors,omitempty"`
}

func record(c testCase) answer {
	var internal apiextensions.JSONSchemaProps
	if err := v1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(&c.Schema, &internal, nil); err != nil {
		panic(err)
	}
	structural, err := schema.NewStructural(&internal)
	if err != nil {
		panic(err)
	}
	var object map[string]any
	if err := utiljson.Unmarshal(c.Object, &object); err != nil {
		panic(err)
	}
	validator := cel.NewValidator(structural, true, celconfig.PerCallLimit)
	var budget int64 = celconfig.RuntimeCELCostBudget
	errs, remaining := validator.Validate(context.Background(), nil, structural, object, nil, budget)
	result := answer{Cost: budget - remaining}
	for _, err := range errs {
		result.Errors = append(result.Errors, strings.TrimSpace(err.Error()))
	}
	return result
}

func main() {
	var cases []testCase
	if err := json.NewDecoder(os.Stdin).Decode(&cases); err != nil {
		panic(err)
	}
	answers := make([]answer, len(cases))
	for i, c := range cases {
		answers[i] = record(c)
	}
	encoder := json.NewEncoder(os.Stdout)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(answers); err != nil {
		panic(err)
	}
}
