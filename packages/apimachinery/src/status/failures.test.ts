import { describe, expect, it } from 'vitest';
import {
  duplicateField,
  forbiddenField,
  invalidField,
  requiredField,
  tooLongField,
  unsupportedField,
} from '../validation/field-error.ts';
import { FieldPath } from '../validation/field-path.ts';
import { alreadyExists, conflict, forbidden, invalid, notFound } from './failures.ts';
import { StatusError } from './status-error.ts';

describe('failures', () => {
  const deployments = { group: 'apps', resource: 'deployments' };

  // Responses of a 1.36.3 API server.
  it('reports that an object does not exist', () => {
    expect(notFound({ group: '', resource: 'pods' }, 'nope').status).toEqual({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message: 'pods "nope" not found',
      reason: 'NotFound',
      details: { name: 'nope', kind: 'pods' },
      code: 404,
    });
  });

  it('shows values of any kind as JSON', () => {
    const value = { list: [9007199254740993n, 'a'], nothing: undefined };
    expect(invalidField('spec', value, '').body).toBe('Invalid value: {"list":[9007199254740993,"a"]}');
    expect(invalidField('spec', undefined, 'missing').body).toBe('Invalid value: null: missing');
  });

  it('lists distinct errors in the message, and each error as a cause', () => {
    const spec = FieldPath.of('spec');
    const error = invalid({ group: 'apps', kind: 'Deployment' }, 'web', [
      requiredField(spec.child('selector'), ''),
      invalidField(spec.child('replicas'), -1, 'must be greater than or equal to 0'),
      invalidField(spec.child('replicas'), -1, 'must be greater than or equal to 0'),
      unsupportedField(spec.child('strategy', 'type'), 'X', ['Recreate', 'RollingUpdate']),
      forbiddenField(spec.child('containers').index(0).child('name'), 'no'),
      duplicateField(FieldPath.of('metadata', 'labels').key('a'), 'x"y'),
      tooLongField('metadata.name', { max: 63 }),
    ]);
    expect(error.message).toBe(
      'Deployment.apps "web" is invalid: [spec.selector: Required value, ' +
        'spec.replicas: Invalid value: -1: must be greater than or equal to 0, ' +
        'spec.strategy.type: Unsupported value: "X": supported values: "Recreate", "RollingUpdate", ' +
        'spec.containers[0].name: Forbidden: no, metadata.labels[a]: Duplicate value: "x\\"y", ' +
        'metadata.name: Too long: may not be more than 63 bytes]',
    );
    expect(error.status.details?.causes).toHaveLength(7);
    expect(error.status.details?.causes?.[0]).toEqual({
      reason: 'FieldValueRequired',
      message: 'Required value',
      field: 'spec.selector',
    });
  });

  it('formats a single error without brackets', () => {
    expect(invalid({ group: '', kind: 'Pod' }, '', [requiredField('metadata.name', 'name is required')]).message).toBe(
      'Pod "" is invalid: metadata.name: Required value: name is required',
    );
  });

  it('names resources with their group', () => {
    expect(alreadyExists(deployments, 'web').message).toBe('deployments.apps "web" already exists');
    expect(conflict(deployments, 'web', 'gone').message).toBe(
      'Operation cannot be fulfilled on deployments.apps "web": gone',
    );
    expect(forbidden(deployments, '', 'no').message).toBe('deployments.apps is forbidden: no');
  });

  it.each([
    [400, false],
    [404, false],
    [409, false],
    [410, false],
    [429, true],
    [500, true],
    [503, true],
  ])('reports if %i is retryable: %j', (code, retryable) => {
    expect(new StatusError({ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', code }).retryable).toBe(
      retryable,
    );
  });
});
