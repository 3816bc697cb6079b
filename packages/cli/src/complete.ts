#!/usr/bin/env node
// kubectl runs this program to complete `kubectl kubewright …`: it finds `kubectl_complete-kubewright` on the PATH and passes the
// words typed so far.
import { cliEnvironment } from './program/process-environment.ts';
import { completeLine } from './run-cli.ts';

completeLine(cliEnvironment());
