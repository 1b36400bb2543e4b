/**
 * What the CRI suite needs, built or fetched once into `.cache/tools`: critest, and the programs that its images and its registry are made of. critest's specs are those of its
 * version; dependencies are raised to those of the other tools (shared-modules.ts): ginkgo, gRPC and Kubernetes' modules are later than its own go.mod has them.
 */
import { debianPackages } from '../../tools/debian-packages.ts';
import { goTool } from '../../tools/go-tool.ts';
import { SHARED_MODULES } from '../../tools/shared-modules.ts';

export const CRITEST_VERSION = 'v1.36.0';
const MODULE = `sigs.k8s.io/cri-tools/cmd/critest`;

/** The official suite: it is a test binary, so `go install` does not make it. */
export function critest(): Promise<string> {
	const modules = [...SHARED_MODULES, `${MODULE}@${CRITEST_VERSION}`];
	return goTool({ name: `critest-${CRITEST_VERSION}`, modules, main: { testPackage: MODULE } });
}

const NO_NEW_PRIVS = `package main

import (
	"fmt"
	"os"
)

func main() { fmt.Printf("Effective uid: %d\\n", os.Geteuid()) }
`;

/** What the image nonewprivs starts, setuid root: says whom it runs as. */
export function noNewPrivs(): Promise<string> {
	return goTool({ name: 'critest-nonewprivs', modules: [], main: NO_NEW_PRIVS });
}

/** Debian's packages: the dynamic busybox (the static one runs applets in the shell, which hides a masked path), a web server, a registry. */
const PACKAGES = ['busybox', 'nginx', 'docker-registry'] as const;

/** A folder with these packages unpacked side by side. */
export function debianPrograms(): Promise<string> {
	return debianPackages('critest-packages', PACKAGES);
}
