{{- define "opm-portal.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 50 | trimSuffix "-" -}}
{{- end -}}

{{- define "opm-portal.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 50 | trimSuffix "-" -}}
{{- else if contains (include "opm-portal.name" .) .Release.Name -}}
{{- .Release.Name | trunc 50 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name (include "opm-portal.name" .) | trunc 50 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{/* Labels that select pods; they can't change. Takes the root and a component. */}}
{{- define "opm-portal.selector" -}}
app.kubernetes.io/name: {{ include "opm-portal.name" .root }}
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .component }}
{{- end -}}

{{- define "opm-portal.labels" -}}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version | replace "+" "_" }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
app.kubernetes.io/part-of: opm-portal
{{ include "opm-portal.selector" . }}
{{- end -}}

{{- define "opm-portal.image" -}}
{{- if .Values.image.digest -}}
{{- printf "%s@%s" .Values.image.repository .Values.image.digest -}}
{{- else -}}
{{- printf "%s:%s" .Values.image.repository (default .Chart.AppVersion .Values.image.tag) -}}
{{- end -}}
{{- end -}}

{{/* Host and port of the address at which people reach the portal, and the host alone. */}}
{{- define "opm-portal.host" -}}
{{- (urlParse .Values.publicUrl).hostname -}}
{{- end -}}

{{/* The ServiceAccount of a component. On the cluster it is the identity that `bootstrap` gives permissions to. */}}
{{- define "opm-portal.serviceAccount" -}}
{{- if eq .root.Values.plane.kind "cluster" -}}
{{- printf "opm-%s" .component -}}
{{- else -}}
{{- printf "%s-%s" (include "opm-portal.fullname" .root) .component -}}
{{- end -}}
{{- end -}}

{{/* Arguments that both components have. */}}
{{- define "opm-portal.arguments" -}}
{{- $values := .root.Values -}}
- serve
- --plane=kubeconfig
- --kubeconfig=/etc/opm/plane/kubeconfig
{{- if eq $values.plane.kind "kubeconfig" }}
{{- with $values.plane.kubeconfig.context }}
- {{ printf "--context=%s" . | quote }}
{{- end }}
- {{ printf "--provider=%s" $values.plane.kubeconfig.provider | quote }}
{{- end }}
{{- range $values.plane.trustedHomes }}
- {{ printf "--trusted-home=%s" . | quote }}
{{- end }}
- --data=/data
- {{ printf "--listen=%s" $values.listen | quote }}
- --port=8080
{{- if $values.metrics.enabled }}
- {{ printf "--metrics-port=%d" (int $values.metrics.port) | quote }}
{{- end }}
- {{ printf "--log=%s" $values.log.filter | quote }}
- {{ printf "--log-format=%s" $values.log.format | quote }}
{{- end -}}

{{- define "opm-portal.probes" -}}
startupProbe:
  httpGet: {path: /healthz, port: http}
  periodSeconds: 2
  failureThreshold: 60
livenessProbe:
  httpGet: {path: /healthz, port: http}
  periodSeconds: 10
  timeoutSeconds: 3
readinessProbe:
  httpGet: {path: /readyz, port: http}
  periodSeconds: 5
  timeoutSeconds: 5
{{- end -}}

{{- define "opm-portal.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: {drop: [ALL]}
{{- end -}}

{{- define "opm-portal.podSecurity" -}}
runAsNonRoot: true
runAsUser: 65532
runAsGroup: 65532
fsGroup: 65532
fsGroupChangePolicy: OnRootMismatch
seccompProfile: {type: RuntimeDefault}
{{- end -}}

{{/* Where pods run: the values of a component. */}}
{{- define "opm-portal.placement" -}}
{{- with .nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .affinity }}
affinity:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .topologySpreadConstraints }}
topologySpreadConstraints:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .priorityClassName }}
priorityClassName: {{ . | quote }}
{{- end }}
terminationGracePeriodSeconds: {{ .terminationGracePeriodSeconds }}
{{- end -}}

{{/* The kubeconfig, and on the cluster the token of the pod's ServiceAccount, which the kubelet renews. */}}
{{- define "opm-portal.planeVolumes" -}}
{{- $plane := .root.Values.plane -}}
- name: plane
{{- if eq $plane.kind "cluster" }}
  projected:
    defaultMode: 0440
    sources:
    - configMap:
        name: {{ include "opm-portal.fullname" .root }}-plane
        items: [{key: {{ .component }}, path: kubeconfig}]
    - configMap:
        name: kube-root-ca.crt
        items: [{key: ca.crt, path: ca.crt}]
    - serviceAccountToken:
        path: token
        expirationSeconds: 3600
{{- else }}
{{- $controllers := and (eq .component "controller") $plane.kubeconfig.controllerSecret }}
  secret:
    secretName: {{ default $plane.kubeconfig.secret $controllers | quote }}
    defaultMode: 0440
    items: [{key: {{ $plane.kubeconfig.key | quote }}, path: kubeconfig}]
{{- end }}
{{- end -}}

{{/* Values that no schema can check. */}}
{{- define "opm-portal.check" -}}
{{- if and (eq .Values.plane.kind "cluster") (ne .Release.Namespace "opm-system") -}}
{{- fail "Install the release in the namespace opm-system: the admission policies on the cluster recognize the portal's ServiceAccounts there (helm install --namespace opm-system --create-namespace)" -}}
{{- end -}}
{{- end -}}
