#!/usr/bin/env node
// kubectl runs this to complete `kubectl kubewright …`: it looks up this name on the PATH and passes what was typed so far.
import { cliEnvironment } from './program/process-environment.ts';
import { completeLine } from './run-cli.ts';

completeLine(cliEnvironment());
