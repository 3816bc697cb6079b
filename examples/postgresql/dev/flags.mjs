// Plain JavaScript, because `npm start` reads its flags before building.
import { parseArgs } from 'node:util';

export const usage = `npm start [-- FLAGS]    an embedded cluster, the PostgreSQL operator, and a sample

  --empty             start without the sample
  --once              exit once the sample is up
  --port PORT         port of the API server (default: a free port, reused on later starts)
  --network NAME      loopback: pods share the network of this machine; isolated: each pod has its own (default: loopback)
  --images FILE       JSON file that maps more images to programs (default: kubewright-images.json)
  --allow-host-programs   allow absolute paths of local programs as images
  --allow-root-pods   allow pods to run as UID 0
  --help              show this help`;

/** Reads the flags. Throws an Error that names an unknown flag or an invalid value. */
export function readFlags(argv) {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      once: { type: 'boolean', default: false },
      empty: { type: 'boolean', default: false },
      images: { type: 'string' },
      network: { type: 'string', default: 'loopback' },
      'allow-host-programs': { type: 'boolean', default: false },
      'allow-root-pods': { type: 'boolean', default: false },
      port: { type: 'string' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  const port = values.port === undefined ? undefined : Number(values.port);
  if (port !== undefined && !(Number.isInteger(port) && port >= 0 && port < 65_536)) {
    throw new Error(`invalid --port ${values.port}: must be an integer from 0 to 65535`);
  }
  if (values.network !== 'loopback' && values.network !== 'isolated') {
    throw new Error(`invalid --network ${values.network}: must be loopback or isolated`);
  }
  return {
    network: values.network,
    once: values.once,
    empty: values.empty,
    images: values.images,
    allowHostPrograms: values['allow-host-programs'],
    allowRootPods: values['allow-root-pods'],
    port,
    help: values.help,
  };
}
