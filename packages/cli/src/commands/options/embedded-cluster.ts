import { InvalidArgumentError, Option } from 'commander';
import { isClusterName } from '../../cluster/cluster-name.ts';

/** Parses a port number. */
export function portNumber(text: string): number {
  const port = Number(text);
  if (/^\d{1,5}$/.test(text) && port < 65_536) return port;
  throw new InvalidArgumentError('It must be a number from 0 to 65535.');
}

/** Parses the number of nodes. */
export function nodeCount(text: string): number {
  const count = Number(text);
  if (/^\d{1,3}$/.test(text) && count >= 1 && count <= 100) return count;
  throw new InvalidArgumentError('It must be a number from 1 to 100.');
}

/** Returns the option that selects the network of pods. */
export function networkOption(): Option {
  return new Option(
    '--network <NAME>',
    'loopback: pods share the network of this machine; isolated: each pod has its own network',
  ).choices(['loopback', 'isolated']);
}

/** Returns the option that selects how containers run. */
export function driverOption(): Option {
  return new Option(
    '--driver <NAME>',
    'process: containers run as local processes; container: containers run images of kubewright images (experimental); simulated: containers do not run',
  ).choices(['process', 'container', 'simulated']);
}

/** Returns the option that selects one of a folder's clusters. */
export function nameOption(): Option {
  return new Option('--name <NAME>', 'name of an additional cluster in this folder').argParser((text) => {
    if (isClusterName(text)) return text;
    throw new InvalidArgumentError('It must consist of lower-case letters, digits and dashes.');
  });
}
