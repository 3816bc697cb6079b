import type { ProjectFile } from '../project/write-files.ts';

// Pinned by commit, because a tag can be moved to other code. Renovate updates both the pin and the comment.
const checkout = 'actions/checkout@11bd71901bbe5b1630ceea73d27597364c9af683 # v4.2.2';
const setupNode = 'actions/setup-node@39370e3970a6d050c480ffad4ff0ed4d3fdee5af # v4.1.0';
const setupBuildx = 'docker/setup-buildx-action@b5ca514318bd6ebac0fb2aedd5d36ec1b5c232a2 # v3.10.0';
const login = 'docker/login-action@74a5d142397b4f367a81961eba4e8cd7edddf772 # v3.4.0';
const buildPush = 'docker/build-push-action@14487ce63c7a62a4a324b0bfb37086795e31c6c1 # v6.16.0';
const attestProvenance = 'actions/attest-build-provenance@e8998f949152b193b063cb0ec769d69d929409be # v2.4.0';
const attestSbom = 'actions/attest-sbom@bd218ad0dbcb3e146bd073d1d9c6d78e08aa8a0b # v2.4.0';

/** Returns the workflows for CI and releases, and the configuration of Renovate. */
export function workflowFiles(): readonly ProjectFile[] {
  return [
    { path: '.github/workflows/ci.yml', text: ci },
    { path: '.github/workflows/release.yml', text: release },
    { path: 'renovate.json', text: renovate },
  ];
}

const prepared = `    runs-on: ubuntu-latest
    steps:
      - uses: ${checkout}
      - uses: ${setupNode}
        with: { node-version: 22, cache: npm }
      - run: npm ci
`;

const ci = `name: ci
on: [push, pull_request]
permissions:
  contents: read
jobs:
  lint:
${prepared}      - run: npm run generate -- --check
      - run: npm run typecheck
  test:
${prepared}      - run: npm test
      - run: npm run dev -- --ci
  build:
${prepared}      - run: npm run build -- --helm
`;

const release = `name: release
on:
  push:
    tags: ['v*']
permissions:
  contents: read
  packages: write
  id-token: write
  attestations: write
env:
  IMAGE: ghcr.io/\${{ github.repository }}
  TAG: \${{ github.ref_name }}
jobs:
  release:
${prepared}      - id: image
        run: echo "name=\${IMAGE,,}" >> "$GITHUB_OUTPUT"
      - run: npm run build -- --helm --olm --image "\${IMAGE,,}:$TAG"
      - uses: ${setupBuildx}
      - uses: ${login}
        with: { registry: ghcr.io, username: '\${{ github.actor }}', password: '\${{ github.token }}' }
      - id: push
        uses: ${buildPush}
        with:
          context: dist
          platforms: linux/amd64,linux/arm64
          push: true
          sbom: true
          provenance: mode=max
          tags: \${{ steps.image.outputs.name }}:\${{ github.ref_name }}
      - uses: ${attestProvenance}
        with:
          subject-name: \${{ steps.image.outputs.name }}
          subject-digest: \${{ steps.push.outputs.digest }}
          push-to-registry: true
      - uses: ${attestSbom}
        with:
          subject-name: \${{ steps.image.outputs.name }}
          subject-digest: \${{ steps.push.outputs.digest }}
          sbom-path: dist/sbom.cdx.json
          push-to-registry: true
`;

const renovate = `{
  "$schema": "https://docs.renovatebot.com/renovate-schema.json",
  "extends": ["config:recommended", "helpers:pinGitHubActionDigests"],
  "packageRules": [
    {
      "description": "All Kubewright packages share one version",
      "matchPackageNames": ["kubewright", "@kubewright/*"],
      "groupName": "kubewright"
    }
  ]
}
`;
