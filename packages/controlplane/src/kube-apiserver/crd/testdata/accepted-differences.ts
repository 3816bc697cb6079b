import type { Difference } from '../../testdata/replay-steps.ts';

/** The complete list, by script and step number. */
export const acceptedDifferences: Readonly<
  Record<'definitions' | 'objects', Readonly<Record<number, Difference>>>
> = {
  definitions: {
    89: { status: 422, why: 'a reference is named beside the type that is missing with it' },
    200: { status: 200, why: 'entries in removed versions stay until another manager takes over' },
    202: { status: 200, why: 'how far the deletion is, a controller writes' },
    204: { status: 200, why: 'entries in removed versions stay until another manager takes over' },
    205: { status: 200, why: 'entries in removed versions stay until another manager takes over' },
  },
  objects: {
    16: { status: 422, why: 'embedded metadata is judged with all the rest' },
    19: { status: 201, why: 'unknown fields in embedded metadata are kept' },
    32: { status: 422, why: 'messages name the kind of the endpoint' },
    33: { status: 400, why: 'a body of another version is not looked at' },
    119: { status: 406, why: 'a rejection of protobuf is not answered in protobuf' },
    165: { status: 200, why: 'a version without a status view keeps its entries for the status' },
  },
};
