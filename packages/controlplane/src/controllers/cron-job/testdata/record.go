// Records how robfig/cron v3 parses schedules, and the next times that it computes. Run it in a module that requires robfig/cron
// v3, for example: go run record.go > schedules.json
package main

import (
	"encoding/json"
	"os"
	"time"

	"github.com/robfig/cron/v3"
)

type recorded struct {
	Schedule string   `json:"schedule"`
	From     string   `json:"from,omitempty"`
	Next     []string `json:"next,omitempty"`
	Error    string   `json:"error,omitempty"`
}

var starts = []string{"2026-01-02T03:04:05Z", "2026-03-28T22:30:00Z", "2026-03-29T00:59:59Z", "2026-10-24T23:10:00Z", "2026-10-25T00:30:30Z", "2028-02-28T12:00:00Z"}

var schedules = []string{
	"* * * * *", "*/5 * * * *", "30 2 * * *", "0 2 * * *", "15 1-3 * * *", "0 0 * * *", "0 0 1 * *", "0 0 31 * *", "59 23 29 2 *", "59 23 31 2 *",
	"0 12 * * mon-fri", "0 12 1 * mon", "0 12 */2 * mon", "0 12 ? * 0", "5,10,55 */7 * jan,JUL,dec sat", "30 6-16/4 * * 1-5", "3/20 * * * *",
	"@yearly", "@annually", "@monthly", "@weekly", "@daily", "@midnight", "@hourly", "@every 1h30m", "@every 90s", "@every 1ms", "@every 1.5s", ", * * * *",
}

var zones = []string{"", "Europe/Berlin", "America/New_York", "America/Sao_Paulo", "Australia/Lord_Howe", "Asia/Kolkata", "Asia/Beirut", "Pacific/Apia", "America/Havana"}

// Schedules that daylight saving transitions affect.
var aroundNight = map[string]bool{"*/5 * * * *": true, "30 2 * * *": true, "0 2 * * *": true, "15 1-3 * * *": true, "0 0 * * *": true, "@weekly": true}

var faults = []string{
	"", "* * * *", "* * * * * *", "60 * * * *", "* 24 * * *", "* * 0 * *", "* * 32 * *", "* * * 13 *", "* * * * 7", "a * * * *", "1-2-3 * * * *", "1/2/3 * * * *",
	"5-1 * * * *", "*/0 * * * *", "-1 * * * *", "1- * * * *", "* * * foo *", "@never", "@every", "@every x", "TZ=Nowhere/Land * * * * *", "CRON_TZ=UTC 60 * * * *", "*/-2 * * * *", "1.5 * * * *",
}

func main() {
	out := []recorded{}
	for _, zone := range zones {
		for _, text := range schedules {
			spec := text
			if zone != "" {
				spec = "TZ=" + zone + " " + text
			}
			for i, start := range starts {
				if zone != "" && (i == 0 || i == 5 || !aroundNight[text]) {
					continue
				}
				schedule, err := cron.ParseStandard(spec)
				if err != nil {
					panic(err)
				}
				r := recorded{Schedule: spec, From: start}
				t, _ := time.Parse(time.RFC3339, start)
				t = t.UTC()
				for n := 0; n < 3; n++ {
					t = schedule.Next(t)
					if t.IsZero() {
						break
					}
					r.Next = append(r.Next, t.UTC().Format(time.RFC3339))
				}
				out = append(out, r)
			}
		}
	}
	for _, spec := range faults {
		_, err := cron.ParseStandard(spec)
		out = append(out, recorded{Schedule: spec, Error: err.Error()})
	}
	os.Stdout.WriteString("[\n")
	for i, r := range out {
		b, _ := json.Marshal(r)
		os.Stdout.Write(b)
		if i < len(out)-1 { os.Stdout.WriteString(",") }
		os.Stdout.WriteString("\n")
	}
	os.Stdout.WriteString("]\n")
}
