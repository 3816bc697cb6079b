import '@kubewright/client';
