import { randomBytes } from 'node:crypto';
import { StatefulSet } from '@kubewright/apimachinery/apps/v1';
import { Secret, Service } from '@kubewright/apimachinery/core/v1';
import { controller } from '@kubewright/runtime';
import { Database } from './api/database.ts';
import { passwordOf, secretFor, serviceFor, statefulSetFor } from './servers.ts';

/** Runs the servers of each `Database`. The kind need not exist when the operator starts: it is watched once it is served. */
export const database = controller({
  for: Database,
  owns: [Secret, Service, StatefulSet],
  desired(db, observed) {
    const password = passwordOf(observed.get(Secret, db.metadata.name)) ?? randomBytes(24).toString('base64url');
    return { children: [secretFor(db, password), serviceFor(db), statefulSetFor(db)] };
  },
});
